import Foundation
import TestSupport
import Testing

/// Source patterns that the optimiser of Swift 6.3.1 miscompiles, each with a program in Fixtures/Compiler that
/// demonstrates it. The sources and tests avoid these patterns.
@Suite("Miscompiled source patterns", .timeLimit(.minutes(5)))
struct MiscompiledPatternsTests {
    enum Form: String, CaseIterable {
        /// A throwing task group whose child result is a tuple with a `Result` in it traps with "Index out of range".
        /// Every chain of backends crashed the server because of it.
        case tupleTaskGroup = "TupleTaskGroup"
        /// An asynchronous function that keeps a vector of more than 16 bytes while it waits writes beyond its frame:
        /// "freed pointer was not the last allocation". Shared queries could crash the server because of it.
        case wideVector = "WideVector"

        /// The program with the pattern that is used instead.
        var replacement: String {
            switch self {
            case .tupleTaskGroup: "StructTaskGroup"
            case .wideVector: "WideStruct"
            }
        }

        var pattern: String {
            switch self {
            case .tupleTaskGroup: #"TaskGroup\(\s*of: \([^()]*,"#
            case .wideVector: #"SIMD(3|4|8|16|32|64)(<|\()"#
            }
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// Builds a program of Fixtures/Compiler with the optimiser, runs it, and returns its output.
    private func optimised(_ name: String) async throws -> CommandRun {
        let source = Self.root.appending(path: "Fixtures/Compiler/\(name).swift").path
        return try await withTemporaryFolder { folder in
            let program = folder.appending(path: name).path
            let build = try await CommandRun.of(
                "/usr/bin/env", ["swiftc", "-O", "-parse-as-library", source, "-o", program], in: folder,
                limit: .seconds(180))
            try #require(build.status == 0, "\(build.errors)")
            // A program with damaged memory may also run on for ever.
            return try await CommandRun.of(
                program, [], environment: ["SWIFT_BACKTRACE": "enable=no"], in: folder, limit: .seconds(60))
        }
    }

    @Test("The replacement of the pattern works", arguments: Form.allCases)
    func replacement(_ form: Form) async throws {
        let run = try await optimised(form.replacement)
        #expect(run.status == 0 && run.output == "all responses arrived\n", "\(run.status) \(run.errors)")
    }

    @Test("The pattern crashes the program until the compiler is fixed", arguments: Form.allCases)
    func form(_ form: Form) async throws {
        let run = try await optimised(form.rawValue)
        withKnownIssue("passes with a mended compiler; then the form may be allowed", isIntermittent: true) {
            #expect(run.status == 0 && run.output == "all responses arrived\n")
        }
    }

    @Test("The pattern does not occur in the sources and tests", arguments: Form.allCases)
    func sources(_ form: Form) throws {
        let pattern = try Regex(form.pattern)
        var read = 0
        for folder in ["Sources", "Tests"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files)
            where file.pathExtension == "swift" && file.lastPathComponent != "MiscompiledFormsTests.swift" {
                // Comments are not compiled.
                let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
                #expect(code.firstMatch(of: pattern) == nil, "\(file.path): \(form)")
                read += 1
            }
        }
        #expect(read > 500)
    }
}
