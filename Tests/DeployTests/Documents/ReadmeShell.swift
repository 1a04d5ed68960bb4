import Foundation
import TestSupport

/// A folder in which the commands of README run, with `gatefold` in `PATH` and two free ports in place of 8080 and 8081.
struct ReadmeShell {
    let folder: URL
    let port: Int
    let adminPort: Int
    private let path: String

    fileprivate init(_ folder: URL) throws {
        self.folder = folder.appending(path: "work")
        (port, adminPort) = (try FreePort.find(), try FreePort.find())
        let programs = folder.appending(path: "programs")
        for new in [self.folder, programs] {
            try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        }
        let program = URL(filePath: GatefoldProgram.path, relativeTo: MarkdownDocument.repository)
        try FileManager.default.createSymbolicLink(
            at: programs.appending(path: "gatefold"), withDestinationURL: program.absoluteURL)
        path = programs.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    }

    private func replacingPorts(_ text: String) -> String {
        text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            .replacing("127.0.0.1:8081", with: "127.0.0.1:\(adminPort)")
    }

    private func environment(_ variables: [String: String]) -> [String: String] {
        variables.merging(["PATH": path, "NO_PROXY": "127.0.0.1"]) { $1 }
    }

    /// Writes a file of the folder.
    func write(_ text: String, to file: String) throws {
        try Data(replacingPorts(text).utf8).write(to: folder.appending(path: file))
    }

    /// Runs a command line in Bash.
    ///
    /// - Parameter variables: The variables that README introduces in its text.
    func run(_ line: String, _ variables: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.of(
            "/bin/bash", ["-c", replacingPorts(line)], environment: environment(variables), in: folder)
    }

    /// Runs the body while a command line serves both ports.
    func serve(_ line: String, _ body: () async throws -> Void) async throws {
        let launch = ServerProcess.Launch(
            "/bin/bash", ["-c", line], environment: environment([:]), in: folder, until: .ports([port, adminPort]))
        try await withServer(launch) { _ in try await body() }
    }
}

/// Runs the body with a new folder for the commands of README.
func withReadmeFolder(_ body: (ReadmeShell) async throws -> Void) async throws {
    try await withTemporaryFolder { try await body(ReadmeShell($0)) }
}
