import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("Two processes on one state", .serialized) struct SharedStateTests {
    /// The maximum time until a fact reaches the other process.
    private static let bound = Duration.seconds(2)

    @Test(
        "In an outage, both processes reject a former password that one has seen replaced, and end its session",
        arguments: SharedStatePair.StateKind.allCases)
    func changedPassword(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for number in [0, 1] { _ = try await pair.token(number, "old") }
                try pair.reader("new")
                _ = try await pair.token(0, "new")
                try pair.startOutage()
                // Before the fact arrives, the sign-in may succeed, but its session ends.
                let early = try await pair.signIn(1, "old").element("token")
                #expect(
                    try await eventually(within: Self.bound) { try await pair.signIn(1, "old").status == 503 },
                    "the former password")
                if let early {
                    #expect(
                        try await eventually(within: Self.bound) { try await pair.state(1, early) == "unknown" },
                        "its session")
                    #expect(try await eventually(within: Self.bound) { try await pair.state(0, early) == "unknown" })
                }
                #expect(
                    try await pair.signIn(0, "new").element("token") != nil,
                    "the new password is accepted from the cache")
            }
        }
    }

    @Test(
        "In an outage, both processes reject a password that one has seen rejected",
        arguments: SharedStatePair.StateKind.allCases)
    func rejectedPassword(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                _ = try await pair.token(1, "old")
                // The first process has never seen the password accepted, but received the fact.
                try await Task.sleep(for: Self.bound)
                try pair.reader("new")
                #expect(try await pair.signIn(0, "old").error == "notrecognised")
                try pair.startOutage()
                #expect(
                    try await eventually(within: Self.bound) { try await pair.signIn(1, "old").status == 503 })
            }
        }
    }

    @Test(
        "In an outage, both processes deny a reader whom one has seen suspended, also after a restart",
        arguments: SharedStatePair.StateKind.allCases)
    func suspended(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(1)]) { _ async throws in
                var token = ""
                try await withServer(pair.launch(0)) { first async throws in
                    token = try await pair.token(0, "old")
                    for number in [0, 1] { #expect(try await pair.isIssued(number, token)) }
                    try pair.reader("old", "suspended")
                    #expect(try await pair.state(0, token) == "suspended")
                    try await Task.sleep(for: Self.bound)
                    try pair.startOutage()
                    for number in [0, 1] { #expect(try await !pair.isIssued(number, token), "process \(number)") }
                    first.send(SIGKILL)
                    #expect(await first.end() == -SIGKILL)
                }
                try await withServer(pair.launch(0)) { _ async throws in
                    #expect(try await !pair.isIssued(0, token), "after a restart")
                }
            }
        }
    }

    @Test(
        "In an outage, the other process denies an edition that one has denied, and issues others",
        arguments: SharedStatePair.StateKind.allCases)
    func deniedEdition(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old", editions: [Sample.second, Sample.third])
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let token = try await pair.token(0, "old")
                for edition in [Sample.second, Sample.third] { #expect(try await pair.isIssued(1, token, edition)) }
                try pair.reader("old", editions: [Sample.third])
                #expect(try await !pair.isIssued(0, token, Sample.second))
                try await Task.sleep(for: Self.bound)
                try pair.startOutage()
                #expect(try await !pair.isIssued(1, token, Sample.second))
                #expect(try await pair.isIssued(1, token, Sample.third))
            }
        }
    }

    @Test(
        "In an outage, both processes admit a reader who was reactivated", arguments: SharedStatePair.StateKind.allCases
    )
    func forgiven(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old", "suspended")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let token = try await pair.token(0, "old")
                #expect(try await !pair.isIssued(0, token))
                try await Task.sleep(for: Self.bound)
                try pair.reader("old")
                #expect(try await pair.isIssued(0, token))
                try await Task.sleep(for: Self.bound)
                try pair.startOutage()
                for number in [0, 1] { #expect(try await pair.isIssued(number, token), "process \(number)") }
            }
        }
    }

    @Test(
        "Pitfall 32: a session that is ended at one process ends at the other, also after a restart",
        arguments: SharedStatePair.StateKind.allCases)
    func endedSession(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(1)]) { _ async throws in
                var tokens: [String] = []
                try await withServer(pair.launch(0)) { _ async throws in
                    for _ in 0..<2 { tokens.append(try await pair.token(0, "old")) }
                    for token in tokens { #expect(try await pair.state(1, token) == "active") }
                    #expect(try await pair.call(0, "sign_out", ["token": tokens[0]]).status == 200)
                    #expect(
                        try await eventually(within: Self.bound) { try await pair.state(1, tokens[0]) == "unknown" })
                    #expect(try await pair.state(1, tokens[1]) == "active")
                    #expect(try await pair.call(1, "sign_out", ["token": tokens[1]]).status == 200)
                }
                try await withServer(pair.launch(0)) { _ async throws in
                    for token in tokens { #expect(try await pair.state(0, token) == "unknown") }
                }
            }
        }
    }
}
