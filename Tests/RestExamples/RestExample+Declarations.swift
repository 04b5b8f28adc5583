// SPDX-License-Identifier: Apache-2.0

import SeedSupport
import StrataRest
import Testing

// S1.1 and S1.9 to S1.14: how a property is declared and read.

extension RestExample {
    struct FruitHolder {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")

        /// What the document prints.
        func check() {
            #expect(fruit == .strawberry)
            #expect(fruit.name == "strawberry")
            #expect($fruit.wrappedValue == .strawberry)
            let query: RestQueryImpl<Fruit, Fruit> = $fruit
            #expect(query.metadata.path == "fruitoftheday")
            let binding: Binding<Fruit> = $fruit.projectedValue
            #expect(binding.wrappedValue == .strawberry)
            let name: Binding<String> = $fruit.name
            #expect(name.wrappedValue == "strawberry")
        }
    }

    static func S1_1_propertyAccess(_ wire: RestWire) async throws {
        let holder = wire.properties { _ in FruitHolder() }
        holder.check()
        // A constant member is read through its binding, and not written.
        holder.$fruit.name.wrappedValue = "kiwi"
        #expect(holder.fruit == .strawberry)
        #expect(wire.arrived.isEmpty)
    }

    static func S1_9_initialiserWithPath(_ wire: RestWire) async throws {
        struct Holder { @Rest(path: "somePath") var someProp: Fruit = Fruit(name: "a", size: 1, color: "b") }
        let holder = try wire.properties(answers: .json(of: Fruit.banana)) { _ in Holder() }
        _ = try await holder.$someProp.get().value
        #expect(wire.arrived.map(\.description) == ["GET /somePath"])
        #expect(wire.arrived.first?["Authorization"] == "Bearer T")
    }

    static func S1_10_initialiserWithParameters(_ wire: RestWire) async throws {
        struct Holder {
            static let someValue = 2.5
            @Rest(path: "somePath", params: ["someKey": someValue]) var someProp: Fruit = Fruit(
                name: "a", size: 1, color: "b")
        }
        let holder = try wire.properties(answers: .json(of: Fruit.banana)) { _ in Holder() }
        _ = try await holder.$someProp.get().value
        #expect(wire.arrived.map(\.description) == ["GET /somePath?someKey=2.5"])
    }

    static func S1_11_initialiserWithParent(_ wire: RestWire) async throws {
        struct Holder { @Rest(path: "somePath", parent: Fruits.self, prop: \.values) var someProp: [Fruit] = [] }
        let holder = try wire.properties(answers: .json(of: Fruits(values: [.banana]))) { _ in Holder() }
        _ = try await holder.$someProp.get().value
        #expect(holder.someProp == [.banana])
        #expect(wire.arrived.map(\.description) == ["GET /somePath"])
    }

    static func S1_12_initialiserWithParametersAndParent(_ wire: RestWire) async throws {
        struct Holder {
            @Rest(path: "somePath", params: ["someKey": true], bearer: false, parent: Fruits.self, prop: \.values)
            var someProp: [Fruit] = []
        }
        let holder = try wire.properties(answers: .json(of: Fruits(values: [.banana]))) { _ in Holder() }
        _ = try await holder.$someProp.get().value
        #expect(holder.someProp == [.banana])
        #expect(wire.arrived.map(\.description) == ["GET /somePath?someKey=true"])
        #expect(wire.arrived.first?["Authorization"] == nil)
    }

    static func S1_13_wrappedValue(_ wire: RestWire) async throws {
        let holder = wire.properties { _ in FruitHolder() }
        #expect("\(holder.fruit)".contains("strawberry"))
        holder.check()
        holder.fruit = .banana
        #expect(holder.fruit.name == "banana")
        #expect(wire.arrived.isEmpty)
    }

    static func S1_14_projectedValue(_ wire: RestWire) async throws {
        let holder = wire.properties { _ in FruitHolder() }
        #expect(holder.$fruit.projectedValue.wrappedValue.color == "red")
        #expect(holder.$fruit.size.wrappedValue == 3)
        holder.$fruit.projectedValue.wrappedValue = .banana
        #expect(holder.fruit == .banana && holder.$fruit.size.wrappedValue == 5)
        #expect(wire.arrived.isEmpty)
    }
}
