import Foundation

/// Runs another program, to compare results with an independent implementation.
enum ChildProcess {
    struct Failed: Error {
        let status: Int32
        let output: String
    }

    /// Returns the output of the program, including standard error. Throws `Failed` if the exit status is not zero.
    static func run(_ arguments: [String], input: Data = Data(), in folder: URL? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let (from, into) = (Pipe(), Pipe())
        process.standardInput = into
        process.standardOutput = from
        process.standardError = from
        try process.run()
        into.fileHandleForWriting.write(input)
        try into.fileHandleForWriting.close()
        let output = String(decoding: from.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(status: process.terminationStatus, output: output)
        }
        return output
    }

    /// Returns the 40 digits that coreutils' `sha1sum` prints.
    static func sha1sum(_ text: String) throws -> String {
        String(try run(["sha1sum"], input: Data(text.utf8)).prefix(40))
    }
}

/// A folder that is deleted at the end of the test.
final class ScratchFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "gatefold-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The repository's `Fixtures` folder.
let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")
