import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Reading the configuration again", .serialized)
struct ReloadTests {
    /// Sends SIGHUP and waits until the server has dealt with it.
    private func reload(_ server: ServerProcess, expecting words: String = "configuration read again") async throws {
        // Until the server listens for it, which it begins beside its ports, it passes over it.
        try #require(try await eventually { server.catches(SIGHUP) }, "\(server.output)")
        let before = server.output.ranges(of: words).count
        server.send(SIGHUP)
        #expect(try await eventually { server.output.ranges(of: words).count > before }, "\(server.output)")
    }

    @Test("a changed message and a changed policy are in force")
    func changed() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let suspended = try await sample.signIn("edsger@example.com", "shortest path")
                // Her period has ended: it opens the editions of its time, and under "access" nothing.
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

    @Test("an invalid file is reported with its line, and the old one goes on")
    func invalid() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                try sample.configure { $0.replacing("policy: period", with: "policy: perod") }
                try await reload(server, expecting: "the old one goes on")
                #expect(server.output.contains(/gatefold\.yaml:[0-9]+: publications\.daily\.policy: expected one of/))
                #expect(try await sample.state(of: token) == "active")
                for broken in ["publications: [", "", "server: {listen: nowhere}"] {
                    try sample.write("gatefold.yaml", broken)
                    try await reload(server, expecting: "the old one goes on")
                }
                try FileManager.default.removeItem(at: sample.folder.appendingPathComponent("gatefold.yaml"))
                try await reload(server, expecting: "the old one goes on")
                #expect(try await sample.state(of: token) == "active")
                try sample.configure()
                try await reload(server)
                #expect(try await sample.state(of: token) == "active")
            }
        }
    }

    @Test("an address given in the call stays the one, and a changed one in the file is for the next start")
    func addresses() async throws {
        try await withSample { sample in
            let port = try FreePort.find()
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve", "--port", "\(port)"], in: sample.folder, until: .port(port))
            try await withServer(launch) { server in
                try await reload(server)
                #expect(!server.output.contains("changed settings wait"))
                try sample.configure { $0.replacing("\(sample.adminPort)", with: "\(port)") }
                try await reload(server)
                #expect(server.output.contains("changed settings wait for the next start"))
            }
        }
    }

    @Test("twenty times in a row under requests, none is lost")
    func underLoad() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
                let isOver = Switch()
                let answers = try await withThrowingTaskGroup(of: [String?].self) { group in
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
                #expect(answers.count >= 20)
                #expect(answers.allSatisfy { $0 == "active" })
            }
        }
    }

    @Test("a secret put in front makes new tokens and credentials, and the old ones hold until it is taken out")
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
