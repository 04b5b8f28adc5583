// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Yams

/// What the tests look at in `docker-compose.yml`.
struct ComposeFile: Decodable {
    struct Service: Decodable {
        struct HealthCheck: Decodable {
            let test: [String]
        }

        struct Build: Decodable {
            let context: String
            let inline: String?

            enum CodingKeys: String, CodingKey {
                case context
                case inline = "dockerfile_inline"
            }

            init(from decoder: any Decoder) throws {
                if let context = try? decoder.singleValueContainer().decode(String.self) {
                    (self.context, inline) = (context, nil)
                    return
                }
                let container = try decoder.container(keyedBy: CodingKeys.self)
                context = try container.decode(String.self, forKey: .context)
                inline = try container.decodeIfPresent(String.self, forKey: .inline)
            }
        }

        struct Dependency: Decodable {
            let condition: String
        }

        let build: Build?
        let image: String
        let pull: String?
        let ports: [String]?
        let network: String?
        let volumes: [String]?
        let command: [String]?
        let dependencies: [String: Dependency]?
        let healthcheck: HealthCheck?

        enum CodingKeys: String, CodingKey {
            case build, image, ports, volumes, command, healthcheck
            case pull = "pull_policy"
            case network = "network_mode"
            case dependencies = "depends_on"
        }

        /// The published port and the one in the container.
        var port: (published: Int, inside: Int)? {
            let parts = (ports?.first ?? "").split(separator: ":")
            guard ports?.count == 1, parts.count == 3, parts[0] == "127.0.0.1" else { return nil }
            guard let published = Int(parts[1]), let inside = Int(parts[2]) else { return nil }
            return (published, inside)
        }
    }

    let services: [String: Service]
    let tests: [String: String]

    enum CodingKeys: String, CodingKey {
        case services
        case tests = "x-tests"
    }

    static func read() throws -> ComposeFile {
        try YAMLDecoder().decode(ComposeFile.self, from: try PackageFolder.read("docker-compose.yml"))
    }
}
