import BackendBenches

/// What must have happened in a soak, however short: one without it would test less than it says.
///
/// None of it is left to chance, so that no seed fails by bad luck: the ``Examiner`` does each of these things in the first
/// round, which every soak plays to its end; it tries again where it is asked to come back, and waits for what takes its time.
/// What the crowd does counts as well.
enum SoakFloors {
    /// Calls with the answers that must have been given, on whatever day.
    private static let onAnyDay: [(call: String, answers: [String])] = [
        ("sign_in", ["token", "not recognised"]),
        (
            "renew_token",
            [
                "token", "token for an expired one", "not recognised, session ended", "not recognised, session revoked",
                "not recognised, token over",
            ]
        ),
        (
            "verify_subscription",
            [
                "active", "inactive", "suspended", "stale, token expired", "unknown, token over",
                "unknown, session ended", "unknown, session revoked", "unknown, forged token",
            ]
        ),
        (
            "edition_credentials",
            [
                "credentials", SoakTally.failedOpen, "refused, notentitled", "refused, notrecognised",
                "refused, expired", "refused, forged token",
            ]
        ),
        ("sign_out", ["signed out"]),
        ("baker shelf", ["shelf"]),
        ("basispress shelf", ["shelf"]),
        ("feed", ["insiders'", "everybody's", "everybody's, credentials not good", "no feed"]),
        ("operator", ["configuration read again", "memory flushed", "session revoked", "subscription changed"]),
        ("HEAD", ["head"]),
        ("OPTIONS", ["methods"]),
        ("PUT, DELETE and PATCH", ["no such method"]),
        ("path behind a call", ["not found"]),
        ("call of no publication", ["not found"]),
        ("credentials twice", ["bad request"]),
    ]

    private static func answers(of door: SoakApp.Door) -> [(call: String, answers: [String])] {
        let plain = [
            "content", "content, free", "refused, not theirs", "refused, session ended", "refused, session revoked",
        ]
        // A HEAD has no part to be resumed with.
        if door == .fileServerHead { return [(call: door.rawValue, answers: plain)] }
        return [
            (call: door.rawValue, answers: plain + ["content, resumed late", "refused, over"]),
            (call: "feed's \(door.rawValue)", answers: ["content", "refused", "refused, an edition"]),
        ]
    }

    /// The same on each kind of bad day.
    private static let onBadDays: [(call: String, answers: [String])] = [
        ("sign_in", [SoakApp.comeBackLater]),
        ("renew_token", [SoakApp.comeBackLater]),
        ("verify_subscription", ["active", SoakApp.comeBackLater]),
        ("edition_credentials", [SoakTally.failedOpen, SoakApp.comeBackLater]),
        ("sign_out", ["signed out"]),
        ("feed", ["insiders'"]),
        ("HEAD", ["head"]),
        (SoakApp.Door.fileServer.rawValue, ["content"]),
        (SoakApp.Door.fileServerHead.rawValue, ["content"]),
        (SoakApp.Door.authRequest.rawValue, ["content"]),
    ]

    private static let calls = ["sign_in", "renew_token", "verify_subscription", "edition_credentials", "sign_out"]

    /// What did not happen.
    static func missing(from lines: [SoakTally.Line], _ marks: [SoakTally.Mark]) -> [String] {
        var missing: [String] = []
        for (call, answers) in onAnyDay + SoakApp.Door.allCases.flatMap({ self.answers(of: $0) }) {
            for answer in answers where !lines.contains(where: { $0.call == call && $0.answer == answer }) {
                missing.append("\(call) never had the answer \"\(answer)\"")
            }
        }
        for day in Outage.allCases.map(\.rawValue) {
            let lines = lines.filter { $0.day == day }
            for (call, answers) in onBadDays {
                for answer in answers where !lines.contains(where: { $0.call == call && $0.answer == answer }) {
                    missing.append("\(call) never had the answer \"\(answer)\" on a day of \"\(day)\"")
                }
            }
        }
        for call in calls {
            let ways = Way.Carrier.allCases.map(\.rawValue) + [Way.slash, Way.bare]
            for way in call == "renew_token" ? ways + [Way.short] : ways
            where !marks.contains(where: { $0.call == call && $0.name == way }) {
                missing.append("\(call) was never made with \"\(way)\"")
            }
        }
        return missing
    }
}
