// SPDX-License-Identifier: Apache-2.0

public import StrataCore

extension Request {
    private func with(_ change: (inout Request) -> Void) -> Request {
        var copy = self
        change(&copy)
        return copy
    }

    /// The request with a property in place of all it had of that kind.
    public func setting(_ property: some RequestProperty) -> Request {
        with { $0.properties = $0.properties.setting(property) }
    }

    /// The request with a property after those it has.
    public func adding(_ property: some RequestProperty) -> Request {
        with { $0.properties = $0.properties.adding(property) }
    }

    public func setting(_ configuration: Configuration) -> Request {
        with { $0.configuration = configuration }
    }

    /// The request with a field in place of those of its name; `nil` removes it.
    public func settingHeader(name: String, value: String?) -> Request {
        with { $0.properties.headers[name] = value }
    }

    public func settingHeader(name: Header.Name, value: String?) -> Request {
        settingHeader(name: name.rawValue, value: value)
    }

    public func settingHeader(_ header: Header) -> Request {
        settingHeader(name: header.name, value: header.value)
    }

    /// The request with one more field: joined by a comma to a list of its name, else in place of it.
    public func addingHeader(_ header: Header) -> Request {
        with { $0.properties.headers.append(header) }
    }

    public func addingHeader(name: String, value: String) -> Request {
        addingHeader(Header(name, value))
    }

    public func addingHeader(name: Header.Name, value: String) -> Request {
        addingHeader(Header(name, value))
    }

    public func removingHeader(_ name: String) -> Request {
        settingHeader(name: name, value: nil)
    }

    public func removingHeader(_ name: Header.Name) -> Request {
        removingHeader(name.rawValue)
    }

    /// The request with changes to the client's options: timeouts, redirects, limits, attributes for middleware.
    ///
    /// They apply after those made before, and after the ``Configuration-swift.struct``.
    public func settingOptions(_ change: @escaping RequestOptions.Override) -> Request {
        with { request in
            let earlier = request.options
            request.options = { options in
                earlier?(&options)
                change(&options)
            }
        }
    }
}
