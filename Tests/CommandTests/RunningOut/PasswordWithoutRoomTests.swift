import Foundation
import TestSupport
import Testing

@Suite("A change of password that can not be written down", .serialized, .timeLimit(.minutes(10)))
struct PasswordWithoutRoomTests {
    private static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    private static let email = "mary@example.com"
    private static let first = "the first password"
    private static let last = "the last password"

    /// An app in which the reader is signed in.
    private struct Device: Sendable {
        let sample: Sample
        let token: String

        private var authorization: [(String, String)] { [("Authorization", "Bearer \(token)")] }

        var isSignedIn: Bool {
            get async throws {
                try await sample.call("accounts", [:], .query, in: "club", headers: authorization).status == 200
            }
        }

        func change(from old: String, to new: String) async throws -> RawResponse {
            try await sample.call(
                "accounts/change-password",
                ["old_password": old, "password": new, "password_confirmation": new], in: "club",
                headers: authorization)
        }
    }

    private func device(_ call: String, _ fields: [String: String], _ sample: Sample) async throws -> Device {
        let signing = [
            "grant_type": "password", "client_id": Self.merchant, "username": Self.email, "password": Self.first,
        ]
        let answer = try await sample.call(call, signing.merging(fields) { $1 }, in: "club")
        let token = try #require(answer.text.firstMatch(of: /"access_token":"([^"]+)"/), "\(answer.text)").1
        return Device(sample: sample, token: String(token))
    }

    /// Whether the reader can sign in by it, for which nothing has to be written.
    private func isGood(_ password: String, _ sample: Sample) async throws -> Bool {
        let answer = try await sample.call("sign_in", ["email": Self.email, "password": password], in: "club")
        return answer.element("token") != nil
    }

    /// - Parameter crowded: the files in the folder `disk`: that in which it is written whose sessions end, that in which the
    ///   passwords are, or both.
    private func with(_ crowded: Set<String>, _ body: (Sample, _ disk: URL) async throws -> Void) async throws {
        func path(_ file: String) -> String { "\(crowded.contains(file) ? "disk" : "state")/\(file).sqlite" }
        let configuration = { (text: String) in
            text.replacing("path: state/state.sqlite", with: "path: \(path("state"))")
                .adding(
                    publication: "club", backend: "{kind: sqlite, path: \(path("members")), self_service: true}",
                    "    inplayer: {merchant: \(Self.merchant)}\n")
        }
        try await withSample(configuration: configuration) { sample in
            try await body(sample, sample.folder.appendingPathComponent("disk"))
        }
    }

    @Test(
        "is to be tried again on a full disk: the password is what it was, and another once there is room",
        .enabled("SKIPPED: a full disk needs to mount a small file system, as root", SmallDisk.canBeMounted),
        arguments: ["state", "members"])
    func disk(crowded: String) async throws {
        try await with([crowded]) { sample, folder in
            try await SmallDisk.mounted(at: folder) { disk in
                try await expectPatience(sample, .ofDisk(disk, under: sample.launch), [crowded])
            }
        }
    }

    @Test("is to be tried again where a file may not grow: the password is what it was, and another once it may")
    func file() async throws {
        let crowded: Set = ["state", "members"]
        try await with(crowded) { sample, folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await expectPatience(sample, .ofFileSize(under: sample.launch), crowded)
        }
    }

    private func expectPatience(_ sample: Sample, _ shortage: Shortage, _ crowded: Set<String>) async throws {
        var password = Self.first
        try await withServer(shortage.launch) { server in
            let phone = try await device(
                "accounts", ["full_name": "Mary Somerville", "password_confirmation": Self.first], sample)
            let tablet = try await device("accounts/authenticate", [:], sample)
            try await shortage.begin()
            var refused = 0
            for number in 1...400 where refused < 3 {
                let next = "password number \(number)"
                let answer = try await phone.change(from: password, to: next)
                if answer.status == 200 {
                    password = next
                    continue
                }
                refused += 1
                #expect(answer.status == 503 && answer["Retry-After"] != nil, "\(answer)")
                expectNoCache(answer, "change-password")
                #expect(try await isGood(password, sample))
                #expect(try await !isGood(next, sample))
                #expect(try await phone.isSignedIn)
            }
            #expect(refused > 0, "there was room")
            // What could not be written down is not in force either.
            if crowded == ["state"], password == Self.first { #expect(try await tablet.isSignedIn) }
            #expect(server.isRunning)

            // There is room again: nothing needs to be started anew.
            try await shortage.end(server)
            let former = password
            let isChanged = try await eventually {
                try await phone.change(from: former, to: Self.last).status == 200
            }
            #expect(isChanged)
            #expect(try await isGood(Self.last, sample))
            #expect(try await !isGood(former, sample))
            #expect(try await phone.isSignedIn)
            #expect(try await !tablet.isSignedIn)
            server.send(SIGKILL)
            _ = await server.end()
        }
        try await withServer(sample.launch) { _ in
            let (isLastGood, isOldGood) = (try await isGood(Self.last, sample), try await isGood(password, sample))
            #expect(isLastGood && !isOldGood)
        }
    }
}
