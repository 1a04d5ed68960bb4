public import Foundation

/// A completed command with its output.
public struct CommandRun: Sendable {
    /// The exit status, or the negated signal that ended it.
    public let status: Int32
    public let output: String
    public let errors: String

    public var lines: [String] { output.split(separator: "\n").map(String.init) }
    public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Runs the command and waits for its end. After the limit, or if the test is cancelled, it is killed with its
    /// descendants.
    ///
    /// - Parameters:
    ///   - input: The standard input.
    ///   - environment: Variables added to the test's own.
    ///   - folder: The working directory.
    ///   - limit: The maximum time. Default: four minutes, less than the time limit of a suite.
    public static func of(
        _ executable: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in folder: URL, limit: Duration = .seconds(240)
    ) async throws -> CommandRun {
        try await withTemporaryFolder { files in
            let (output, errors) = (files.appendingPathComponent("out"), files.appendingPathComponent("err"))
            let typed = files.appendingPathComponent("in")
            if let input { try Data(input.utf8).write(to: typed) }
            let process = try ChildProcess(
                executable, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
                folder: folder.path, output: output.path, errors: errors.path,
                input: input == nil ? "/dev/null" : typed.path)
            let status = try await process.end(within: limit)
            return CommandRun(
                status: status, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        }
    }
}
