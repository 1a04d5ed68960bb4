import BackendFixtures

/// The minimum coverage of a soak of any length.
///
/// It does not depend on chance or the seed. The ``CoverageDriver`` does each of these things in the first round, which
/// every soak completes. It retries where a response asks for it, and waits for expiries. The crowd's calls count as
/// well.
enum SoakFloors {
    /// The calls with their required responses under any condition.
    private static let requiredCalls: [(call: String, responses: [String])] = [
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

    private static func responses(of contentRoute: SoakApp.ContentRoute) -> [(call: String, responses: [String])] {
        let plain = [
            "content", "content, free", "refused, not theirs", "refused, session ended", "refused, session revoked",
        ]
        // A HEAD request has no range to resume.
        if contentRoute == .fileServerHead { return [(call: contentRoute.rawValue, responses: plain)] }
        return [
            (call: contentRoute.rawValue, responses: plain + ["content, resumed late", "refused, over"]),
            (call: "feed's \(contentRoute.rawValue)", responses: ["content", "refused", "refused, an edition"]),
        ]
    }

    /// The required calls during each kind of fault.
    private static let requiredCallsDuringFaults: [(call: String, responses: [String])] = [
        ("sign_in", [SoakApp.retryLater]),
        ("renew_token", [SoakApp.retryLater]),
        ("verify_subscription", ["active", SoakApp.retryLater]),
        ("edition_credentials", [SoakTally.failedOpen, SoakApp.retryLater]),
        ("sign_out", ["signed out"]),
        ("feed", ["insiders'"]),
        ("HEAD", ["head"]),
        (SoakApp.ContentRoute.fileServer.rawValue, ["content"]),
        (SoakApp.ContentRoute.fileServerHead.rawValue, ["content"]),
        (SoakApp.ContentRoute.authRequest.rawValue, ["content"]),
    ]

    private static let calls = ["sign_in", "renew_token", "verify_subscription", "edition_credentials", "sign_out"]

    /// Returns the missing calls and responses.
    static func missing(from lines: [SoakTally.Line], _ labels: [SoakTally.Baseline]) -> [String] {
        var missing: [String] = []
        for (call, responses) in requiredCalls + SoakApp.ContentRoute.allCases.flatMap({ self.responses(of: $0) }) {
            for response in responses where !lines.contains(where: { $0.call == call && $0.response == response }) {
                missing.append("\(call) never had the answer \"\(response)\"")
            }
        }
        for day in Outage.allCases.map(\.rawValue) {
            let lines = lines.filter { $0.day == day }
            for (call, responses) in requiredCallsDuringFaults {
                for response in responses where !lines.contains(where: { $0.call == call && $0.response == response }) {
                    missing.append("\(call) never had the answer \"\(response)\" on a day of \"\(day)\"")
                }
            }
        }
        for call in calls {
            let ways = CallVariant.FieldPlacement.allCases.map(\.rawValue) + [CallVariant.slash, CallVariant.bare]
            for callVariant in call == "renew_token" ? ways + [CallVariant.short] : ways
            where !labels.contains(where: { $0.call == call && $0.name == callVariant }) {
                missing.append("\(call) was never made with \"\(callVariant)\"")
            }
        }
        return missing
    }
}
