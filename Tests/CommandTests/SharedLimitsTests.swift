import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("Limits of two processes on one state", .serialized) struct SharedLimitsTests {
    private static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    private static let reader = "ada@example.com"

    /// Returns the number of events that a limit admits by now, also on a machine that took long.
    private static func bound(_ burst: Int, oneEach interval: Duration, since start: ContinuousClock.Instant) -> Int {
        burst + Int((ContinuousClock.now - start) / interval)
    }

    @Test(
        "Pitfall 26: a reader who alternates between the processes opens as many sessions as at one",
        arguments: SharedStatePair.StateKind.allCases)
    func sessions(kind: SharedStatePair.StateKind) async throws {
        try await SharedStatePair.with(kind, state: "sessions_per_hour: 10, ") { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let start = ContinuousClock.now
                var opened = 0
                for number in 0..<30 where try await pair.signIn(number % 2, "old").element("token") != nil {
                    opened += 1
                }
                #expect(opened >= 10)
                #expect(opened <= Self.bound(10, oneEach: .seconds(360), since: start))
            }
        }
    }

    @Test(
        "Pitfall 26: two processes together send an account as many e-mails as one",
        arguments: SharedStatePair.StateKind.allCases)
    func mails(kind: SharedStatePair.StateKind) async throws {
        try await MailCatcher.with { catcher, _ async throws in
            try await SharedStatePair.with(
                kind, settings: "    inplayer: {merchant: \(Self.merchant)}\n",
                sections: """
                    mail: {server: "smtp://127.0.0.1:\(catcher.port)", tls: none, from: The Daily <daily@example.com>}

                    """
            ) { pair async throws in
                try pair.sample.write(
                    "readers.json", #"{"\#(Self.reader)": {"password": "old", "state": "active", "editions": []}}"#)
                try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                    let token = try await pair.accessToken(0, Self.reader, "old", Self.merchant)
                    let start = ContinuousClock.now
                    var sent = 0
                    for number in 0..<10 {
                        let response = try await pair.sendPIN(number % 2, token)
                        #expect([200, 429].contains(response.status), "\(response.text)")
                        if response.status == 200 { sent += 1 }
                    }
                    // Each process sends the messages that it accepts, so one that waits would arrive in this time.
                    let caught = try await catcher.caught(atLeast: sent)
                    #expect(sent >= 1 && caught.count == sent)
                    #expect(caught.count <= Self.bound(1, oneEach: .seconds(60), since: start))
                }
            }
        }
    }
}

extension SharedStatePair {
    /// Returns the access token of a reader who signs in at one of the processes with an app of InPlayer.
    fileprivate func accessToken(
        _ number: Int, _ reader: String, _ password: String, _ merchant: String
    ) async throws -> String {
        let response = try await call(
            number, "accounts/authenticate",
            ["grant_type": "password", "client_id": merchant, "username": reader, "password": password])
        return String(try #require(response.text.firstMatch(of: /"access_token":"([^"]+)"/), "\(response.text)").1)
    }

    fileprivate func sendPIN(_ number: Int, _ token: String) async throws -> RawResponse {
        try await RawHTTP(port: ports[number]).post(
            "/shared/v2/accounts/pin-codes/send",
            [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", "Bearer \(token)")], [])
    }
}
