import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Configuration reload", .serialized)
struct ReloadTests {
    /// Sends SIGHUP and waits until the server has processed it.
    private func reload(_ server: ServerProcess, expecting message: String = "Configuration reloaded") async throws {
        // The server ignores the signal until its handler is installed, which happens concurrently with its ports.
        try #require(try await eventually { server.catches(SIGHUP) }, "\(server.output)")
        let before = server.output.ranges(of: message).count
        server.send(SIGHUP)
        #expect(try await eventually { server.output.ranges(of: message).count > before }, "\(server.output)")
    }

    @Test("A changed message and a changed policy take effect")
    func changed() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let suspended = try await sample.signIn("edsger@example.com", "shortest path")
                // Her period has ended. It opens the editions of that time, and under "access" nothing.
                let grace = try await sample.signIn("grace@example.com", "nanosecond")
                #expect(try await sample.credentials(grace, Sample.second).element("userid") != nil)
                try sample.configure {
                    $0.replacing("Please call us.", with: "Please write.")
                        .replacing("policy: period", with: "policy: access")
                }
                try await reload(server)
                let verified = try await sample.call("verify_subscription", ["token": suspended])
                #expect(verified.attribute("message") == "Please write.")
                #expect(try await sample.credentials(grace, Sample.second).error == "notentitled")
            }
        }
    }

    @Test("An invalid file is reported with its line, and the old configuration stays")
    func invalid() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                try sample.configure { $0.replacing("policy: period", with: "policy: perod") }
                try await reload(server, expecting: "previous one in use")
                #expect(server.output.contains(/gatefold\.yaml:[0-9]+: publications\.daily\.policy: expected one of/))
                #expect(try await sample.state(of: token) == "active")
                for broken in ["publications: [", "", "server: {listen: nowhere}"] {
                    try sample.write("gatefold.yaml", broken)
                    try await reload(server, expecting: "previous one in use")
                }
                try FileManager.default.removeItem(at: sample.folder.appendingPathComponent("gatefold.yaml"))
                try await reload(server, expecting: "previous one in use")
                #expect(try await sample.state(of: token) == "active")
                try sample.configure()
                try await reload(server)
                #expect(try await sample.state(of: token) == "active")
            }
        }
    }

    @Test("A command-line address stays in force, and a changed one in the file waits for the next start")
    func addresses() async throws {
        try await withSample { sample in
            let port = try FreePort.find()
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve", "--port", "\(port)"], in: sample.folder, until: .port(port))
            try await withServer(launch) { server in
                try await reload(server)
                #expect(!server.output.contains("Changed settings take effect"))
                try sample.configure { $0.replacing("\(sample.adminPort)", with: "\(port)") }
                try await reload(server)
                #expect(server.output.contains("Changed settings take effect at the next start"))
            }
        }
    }

    @Test("Twenty reloads under load lose no request")
    func underLoad() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let isOver = Switch()
                let responses = try await withThrowingTaskGroup(of: [String?].self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var states: [String?] = []
                            while !isOver.value.load(ordering: .relaxed) || states.count < 5 {
                                states.append(try await sample.state(of: token))
                            }
                            return states
                        }
                    }
                    for _ in 1...20 { try await reload(server) }
                    isOver.value.store(true, ordering: .relaxed)
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(responses.count >= 20)
                #expect(responses.allSatisfy { $0 == "active" })
            }
        }
    }

    @Test("A new first secret seals new tokens and credentials, and the old ones stay valid until its removal")
    func rotation() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let archive = "daily/\(Sample.third).zip"
                let old = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let oldPair = try await sample.pair(old, Sample.third)
                try sample.configure {
                    $0.replacing(
                        "[{file: secrets/daily}]", with: "[{file: secrets/daily-next}, {file: secrets/daily}]")
                }
                try await reload(server)
                #expect(try await sample.state(of: old) == "active")
                #expect(try await sample.download(archive, oldPair).status == 200)
                let new = try #require(try await sample.call("renew", ["token": old]).element("token"))
                let newPair = try await sample.pair(old, Sample.third)

                try sample.configure { $0.replacing("secrets/daily}", with: "secrets/daily-next}") }
                try await reload(server)
                #expect(try await sample.state(of: old) == "unknown")
                #expect(try await sample.download(archive, oldPair).status == 403)
                #expect(try await sample.state(of: new) == "active")
                #expect(try await sample.download(archive, newPair).status == 200)
            }
        }
    }
}

private final class Switch: Sendable {
    let value = Atomic(false)
}
