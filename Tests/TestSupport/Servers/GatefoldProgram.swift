public import Foundation

/// The program under test: the path in `GATEFOLD_PROGRAM`, or the program built next to the tests.
public enum GatefoldProgram {
    public static let path: String = {
        if let path = ProcessInfo.processInfo.environment["GATEFOLD_PROGRAM"] { return path }
        let alongside = [CommandLine.arguments[0], Bundle.main.executablePath ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("gatefold").path
        }
        return alongside.first { FileManager.default.isExecutableFile(atPath: $0) } ?? ".build/debug/gatefold"
    }()

    public static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in folder: URL = FileManager.default.temporaryDirectory
    ) async throws -> CommandRun {
        try await CommandRun.of(path, arguments, input: input, environment: environment, in: folder)
    }
}
