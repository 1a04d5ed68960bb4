import Foundation
import TestSupport
import Testing

@Suite("gatefold explain", .serialized, .servedSample(Sample.refusing)) struct ExplainCommandTests {
    private struct Report: Decodable {
        struct Step: Decodable {
            struct Value: Decodable {
                let name: String
                let value: String
            }

            let step: String
            let outcome: String
            let reason: String?
            let remedy: String?
            let backend: String?
            let freshness: String?
            let presentOnly: Bool?
            let values: [Value]

            subscript(name: String) -> String? { values.first { $0.name == name }?.value }
        }

        let subscriber: String?
        let backend: String?
        let verdict: String
        let reason: String?
        let cause: String?
        let opens: Bool
        let steps: [Step]

        subscript(step: String) -> Step? { steps.first { $0.step == step } }
    }

    private func explain(
        _ arguments: [String], input: String? = nil, status: Int32, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Report {
        let run = try await Sample.current.gatefold(["explain", "--json"] + arguments, input: input)
        #expect(run.status == status, "\(run)", sourceLocation: sourceLocation)
        let reports = try JSONDecoder().decode([Report].self, from: Data(run.output.utf8))
        return try #require(reports.count == 1 ? reports.first : nil, sourceLocation: sourceLocation)
    }

    @Test("A reader who can read: every step passes or does not matter, and no personal data is printed")
    func reads() async throws {
        let report = try await explain(["Ada@Example.com", Sample.third], status: 0)
        #expect(report.verdict == "granted" && report.opens && report.cause == nil)
        #expect(
            report.steps.map(\.step) == [
                "reader", "throttle", "subscription", "purchases", "policy", "catalogue", "verdict", "devices",
                "sessions", "credentials", "file",
            ])
        #expect(report.steps.allSatisfy { $0.outcome != "fails" }, "\(report)")
        #expect(report["subscription"]?.backend == "house" && report["subscription"]?.freshness == "live")
        #expect(report["subscription"]?["state"] == "active")
        #expect(report["policy"]?["policy"] == "period" && report["policy"]?.outcome == "passes")
        #expect(report["catalogue"]?["published"] == "2020-03-01T00:00:00Z")
        #expect(report["file"]?["path"] == "\(Sample.third).zip" && report["file"]?.outcome == "passes")
        #expect(report["throttle"]?.outcome == "unknown", "the server counts in its memory")
        let text = try await Sample.current.succeed(["explain", "ada@example.com", Sample.third])
        #expect(!text.lowercased().contains("ada@") && text.contains("verdict     granted"))
    }

    @Test(
        "Names the step, the reason and the remedy",
        arguments: [
            ("grace@example.com", Sample.third, "subscription", "subscription_lapsed"),
            ("edsger@example.com", Sample.third, "subscription", "reader_suspended"),
            ("ada@example.com", Sample.unpublished, "catalogue", "not_yet_published"),
            ("ada@example.com", "com.example.daily.unheard-of", "catalogue", "unknown_edition"),
        ])
    func causes(reader: String, edition: String, step: String, reason: String) async throws {
        let report = try await explain([reader, edition], status: 1)
        #expect(report.verdict == "rejected" && report.reason == reason && report.cause == step)
        let cause = try #require(report[step])
        #expect(cause.outcome == "fails" && cause.reason == reason && cause.remedy?.isEmpty == false)
        // The server has the same reason.
        let sample = try Sample.current
        let password = [
            "grace@example.com": "nanosecond", "edsger@example.com": "shortest path",
            "ada@example.com": Sample.ada.password,
        ]
        let token = try await sample.signIn(reader, try #require(password[reader]))
        let response = try await sample.credentials(token, edition)
        let id = try #require(response["X-Request-Id"])
        let refusal = LogLine.of(request: id, in: try Sample.server).first { $0["message"] == "Refused" }
        #expect(refusal?["reason"] == reason && refusal?["subscriber"] == report.subscriber)
    }

    @Test("An edition that the subscription does not include")
    func notIncluded() async throws {
        let report = try await explain(
            ["--publication", "weekly", "zoe@example.com", "com.example.weekly.8"], status: 1)
        #expect(report.cause == "policy" && report["policy"]?.reason == "not_included")
        #expect(report["subscription"]?.outcome == "passes" && report["subscription"]?["editions"] == "1")
    }

    @Test("A lapsed reader keeps what was published in the period; another time decides by its own dates and periods")
    func otherTimes() async throws {
        #expect(try await explain(["grace@example.com", Sample.second], status: 0).verdict == "granted")
        let before = try await explain(["--at", "2020-01-15", "ada@example.com", Sample.second], status: 1)
        #expect(before.cause == "catalogue" && before.reason == "not_yet_published")
        #expect(before["subscription"]?.presentOnly == true && before["catalogue"]?.presentOnly == nil)
        let after = try await explain(
            ["--at", "2999-02-01T00:00:00Z", "ada@example.com", Sample.unpublished], status: 1)
        #expect(after.cause == "subscription" && after.reason == "subscription_lapsed")
        let running = try await explain(["--at", "2020-02-10", "grace@example.com", Sample.second], status: 0)
        #expect(running["subscription"]?["state"] == "active" && running["policy"]?.presentOnly == true)
        // No period says since when this reader has the edition.
        let unknown = try await explain(["--at", "2020-06-01", "alan@example.com", Sample.second], status: 69)
        #expect(unknown.verdict == "undecided" && !unknown.opens)
    }

    @Test("A token is read at the given time")
    func tokenTimes() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        func verdict(_ time: String, status: Int32) async throws -> String {
            try await explain(["--at", time, "--token", "-", Sample.third], input: token + "\n", status: status).verdict
        }
        #expect(try await verdict("2020-06-01", status: 69) == "undecided")
        #expect(try await verdict("2089-01-01", status: 1) == "rejected")
    }

    @Test("The edition opens, and its file is missing")
    func fileMissing() async throws {
        let report = try await explain(["ada@example.com", Sample.fileless], status: 1)
        #expect(report.verdict == "granted" && !report.opens)
        #expect(report.cause == "file" && report["file"]?.reason == "file_missing")
        #expect(report["file"]?["path"]?.contains("\(Sample.fileless).zip") == true)
    }

    @Test("A backend that is down, and one in which nobody can be searched")
    func outage() async throws {
        try await Sample.current.withoutTable("subscriber", in: "house") {
            let keyed = try await explain(["--key", "-", Sample.third], input: "1\n", status: 69)
            #expect(keyed.verdict == "unavailable" && keyed.cause == "subscription")
            #expect(keyed["subscription"]?.reason == "backend_unavailable" && keyed["subscription"]?["error"] != nil)
            let named = try await explain(["ada@example.com", Sample.third], status: 69)
            #expect(named.verdict == "unavailable" && named.cause == "reader")
            #expect(named["reader"]?.reason == "backend_unavailable" && named["reader"]?["error house"] != nil)
        }
        let free = try await explain(["--key", "1", Sample.free], status: 0)
        #expect(free.verdict == "granted")
        let sessionless = try await explain(["--publication", "outage", "--key", "17", Sample.third], status: 69)
        #expect(sessionless.verdict == "undecided")
        #expect(sessionless["subscription"]?["session"]?.contains("token") == true)
        let unsearchable = try await explain(["--publication", "outage", "ada@example.com", Sample.third], status: 69)
        #expect(unsearchable.verdict == "undecided" && unsearchable["reader"]?["not_searchable"] == "down")
    }

    @Test("A reader whom no system has")
    func unknownReader() async throws {
        let report = try await explain(["-", Sample.third], input: "nobody@example.com\n", status: 1)
        #expect(report.subscriber == nil && report.cause == "reader")
        #expect(report["reader"]?.reason == "wrong_credentials" && report.steps.count == 1)
    }

    @Test("A revoked session: listed without a token, and the cause with it")
    func revoked() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let token = try await sample.signIn(reader)
        let before = try await explain(["--token", "-", Sample.third], input: token + "\n", status: 0)
        #expect(before["sessions"]?.outcome == "passes" && before["sessions"]?["issued"] != nil)
        try await sample.succeed(["token", "revoke", "--token", "-"], input: token + "\n")
        let with = try await explain(["--token", "-", Sample.third], input: token + "\n", status: 1)
        #expect(with.verdict == "rejected" && with.cause == "sessions" && with.reason == "session_revoked")
        let without = try await explain([reader.email, Sample.third], status: 0)
        #expect(without["sessions"]?.outcome == "unknown" && without["sessions"]?.reason == "session_revoked")
        #expect(without["sessions"]?["ended_sessions"] == "1")
    }

    @Test("The limit of devices: a new device is one too many, which a session does not need; a known one is not")
    func devices() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        _ = try await sample.signIn(reader, device: "phone")
        let other = try await explain(["--device", "tablet", reader.email, Sample.third], status: 0)
        #expect(other["devices"]?.outcome == "warns" && other["devices"]?.reason == "device_limit")
        #expect(other["devices"]?["limit"] == "1" && other["devices"]?["devices"] == "1")
        #expect(try await explain(["--device", "phone", reader.email, Sample.third], status: 0).opens)
        // Neither explanation has registered a device.
        #expect(try await explain([reader.email, Sample.third], status: 0)["devices"]?["devices"] == "1")
    }

    @Test("Writes the pseudonym of the reader to the audit log, and never an identifier or a key")
    func audit() async throws {
        let sample = try Sample.current
        let report = try await explain(
            ["--reason", "ticket 4711", "alan@example.com", Sample.second], status: 0)
        let subject = "subscriber:\(try #require(report.subscriber))"
        let log = try await sample.succeed(["audit", "list", "--json", "--subject", subject])
        #expect(log.contains("\"reader.explain\"") && log.contains("ticket 4711"), "\(log)")
        #expect(log.contains("intent") && log.contains("granted"), "\(log)")
        let before = try await sample.succeed(["audit", "list", "--json"]).split(separator: "\n").count
        _ = try await explain(["nobody@example.com", Sample.third], status: 1)
        let after = try await sample.succeed(["audit", "list", "--json"])
        // The intent of the search, before it, and its outcome.
        #expect(after.split(separator: "\n").count == before + 2)
        #expect(!after.contains("alan@") && !after.contains("nobody@"))
    }

    @Test("Rejects wrong usage")
    func usage() async throws {
        let sample = try Sample.current
        for arguments in [
            [], [Sample.third], ["a", Sample.third, "b"], ["--key", "1", "a", Sample.third],
            ["--key", "1", "--token", "x", Sample.third], ["--backend", "house", "a", Sample.third],
            ["--at", "soon", "a", Sample.third], ["a", "no/edition"],
            ["--key", "1", "--backend", "other", Sample.third],
        ] {
            #expect(try await sample.gatefold(["explain"] + arguments).status == 64, "\(arguments)")
        }
        #expect(
            try await sample.gatefold(["explain", "--token", "-", Sample.third], input: "nonsense\n").status == 65)
    }
}
