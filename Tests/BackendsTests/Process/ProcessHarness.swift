import Backends
import Foundation
import Gatefold
import Settings
import TestSupport

/// The repository's `Fixtures` folder.
let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

/// Runs the body with a backend that queries a Python program, which reads its queries from `requests`.
func withProgram(
    _ program: String, settings more: String = "", clock: ManualClock = ManualClock(),
    environment: [String: String] = [:], _ body: (any SubscriberBackend, URL) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let start = """
            import json, os, signal, sys, time
            open(f"child-{os.getpid()}", "w").close()
            def respond(**fields): print(json.dumps(fields), flush=True)
            requests = (json.loads(line) for line in sys.stdin)

            """
        try Data((start + program).utf8).write(to: folder.appending(path: "program.py"))
        // A busy machine takes longer to start a program.
        let timeout = more.contains("timeout:") ? "" : "timeout: 120s\n"
        let yaml = "kind: process\ncommand: [/usr/bin/python3, program.py]\n\(timeout)\(more)\n"
        let settings = try YAMLSettings.read(
            text: yaml, name: "gatefold.yaml", folder: folder.path, environment: environment)
        let kind = try BackendRegistry.read(name: "program", settings: settings)
        try settings.finish()
        try await body(try kind.open(testServices(clock: clock)), folder)
    }
}

/// Returns the process identifiers of all children that the program ever had.
func children(in folder: URL) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .compactMap { $0.hasPrefix("child-") ? Int32($0.dropFirst(6)) : nil }
}

/// Waits up to two minutes until the condition holds, and returns whether it does.
func holds(_ condition: () throws -> Bool) async throws -> Bool {
    // Concurrent tests of 100,000 inputs may occupy the processors for half a minute.
    let deadline = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    // On a busy machine the last sleep alone may have taken long.
    return try condition()
}

func isRunning(_ identifier: Int32) -> Bool { kill(identifier, 0) == 0 }
