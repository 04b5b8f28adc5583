// SPDX-License-Identifier: Apache-2.0

// The types that the examples name.

struct User: Codable, Equatable, Sendable {
    var id: String
    var name: String

    static let johne = User(id: "johne", name: "John")
    static let json = #"{"id": "johne", "name": "John"}"#
}

struct Todo: Codable, Equatable, Sendable { var title: String }
struct Message: Codable, Equatable, Sendable { var role: String; var content: String }
struct MetaInfo: Codable, Equatable, Sendable { var version: Int }
struct Transaction: Codable, Equatable, Sendable { var amount: Int }
struct Item: Codable, Equatable, Sendable { var sku: String }
struct UploadResponse: Codable, Equatable, Sendable { var size: Int }
struct FormData: Codable, Equatable, Sendable { var title: String; var count: Int; var note: String }
