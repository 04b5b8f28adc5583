// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
struct GroupsByNameAPI {
    @GET("/group/{id}/users")
    func groupList(id: Int) async throws -> [User]
    // GET /group/{id}/users
}

@API
struct GroupsByPathAPI {
    @GET("/group/{gid}/users")
    func groupList(@Path("gid") gid: Int) async throws -> [User]
    // GET /group/{gid}/users
}

@API
struct GroupsByOtherNameAPI {
    @GET("/group/{gid}/users")
    func groupList(@Path("gid") groupId: Int) async throws -> [User]
    // GET /group/{gid}/users
}

@API
struct GroupsEncodedAPI {
    @GET("/group/{gid}/users")
    func groupList(@Path(encoded: true) gid: Int) async throws -> [User]
    // GET /group/{gid}/users
}

@API
struct GroupsEncodedByOtherNameAPI {
    @GET("/group/{gid}/users")
    func groupList(@Path("gid", encoded: true) groupId: Int) async throws -> [User]
    // GET /group/{gid}/users
}

extension SeedExample {
    static let paths = [
        SeedExample("S3.13", "a placeholder with the parameter's name") { lab async throws in
            try await lab.expectGroup { try await GroupsByNameAPI($0).groupList(id: 42) }
        },
        SeedExample("S3.14", "a placeholder named by @Path") { lab async throws in
            try await lab.expectGroup { try await GroupsByPathAPI($0).groupList(gid: 42) }
        },
        SeedExample("S3.15", "a placeholder with another name") { lab async throws in
            try await lab.expectGroup { try await GroupsByOtherNameAPI($0).groupList(groupId: 42) }
        },
        SeedExample("S3.16", "an encoded path value") { lab async throws in
            try await lab.expectGroup { try await GroupsEncodedAPI($0).groupList(gid: 42) }
        },
        SeedExample("S3.17", "an encoded path value with another name") { lab async throws in
            try await lab.expectGroup { try await GroupsEncodedByOtherNameAPI($0).groupList(groupId: 42) }
        },
    ]
}

extension Lab {
    fileprivate func expectGroup(_ call: (Provider) async throws -> [User]) async throws {
        let users = try await call(provider(.json("[\(User.json)]")))
        #expect(users == [.johne])
        let request = try request
        #expect(request.method == "GET")
        #expect(request.target == "/group/42/users")
        #expect(request.body.isEmpty)
    }
}
