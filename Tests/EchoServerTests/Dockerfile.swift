// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The instructions of a Dockerfile, in stages.
struct Dockerfile {
    struct Instruction: Equatable {
        let name: String
        let arguments: String

        var words: [String] { arguments.split(separator: " ").map(String.init) }
    }

    struct Stage {
        let image: String
        let name: String?
        var instructions: [Instruction] = []

        func all(_ name: String) -> [Instruction] { instructions.filter { $0.name == name } }
    }

    private(set) var stages: [Stage] = []

    /// Comments are dropped and lines that end in a backslash joined with the next.
    init(_ text: String) {
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("#") && !$0.isEmpty }
        var pending = ""
        for line in lines {
            if line.hasSuffix("\\") {
                pending += line.dropLast()
                continue
            }
            let halves = (pending + line).split(separator: " ", maxSplits: 1).map(String.init)
            pending = ""
            add(Instruction(name: halves[0].uppercased(), arguments: halves.count > 1 ? halves[1] : ""))
        }
    }

    private mutating func add(_ instruction: Instruction) {
        if instruction.name == "FROM" {
            let words = instruction.words
            let name = words.count == 3 && words[1].uppercased() == "AS" ? words[2] : nil
            stages.append(Stage(image: words[0], name: name))
        } else if !stages.isEmpty {
            stages[stages.count - 1].instructions.append(instruction)
        }
    }
}
