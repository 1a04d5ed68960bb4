import BackendFixtures

/// The minimum coverage of a soak of any length.
///
/// It does not depend on chance or the seed. The ``CoverageDriver`` makes all of these calls in the first round, which
/// every soak completes. It retries where a response asks for it, and waits for expiries. The crowd's calls count as
/// well.
enum SoakFloors {
    /// The calls with their required responses under any condition.
    private static let requiredCalls: [(call: String, responses: [String])] = [
        ("sign_in", ["token", "rejected"]),
        (
            "renew_token",
            [
                "token", "token, after expiry", "rejected, session ended", "rejected, session revoked",
                "rejected, token expired",
            ]
        ),
        (
            "verify_subscription",
            [
                "active", "inactive", "suspended", "stale, token renewable", "unknown, token expired",
                "unknown, session ended", "unknown, session revoked", "unknown, forged token",
            ]
        ),
        (
            "edition_credentials",
            [
                "credentials", SoakTally.failedOpen, "rejected, notentitled",
                "rejected, notrecognised", "rejected, expired", "rejected, forged token",
            ]
        ),
        ("sign_out", ["signed out"]),
        ("baker shelf", ["shelf"]),
        ("basispress shelf", ["shelf"]),
        ("feed", ["draft readers' feed", "public feed", "public feed, invalid credentials", "no feed"]),
        ("operator", ["configuration reloaded", "cache flushed", "session revoked", "subscription changed"]),
        ("HEAD", ["headers"]),
        ("OPTIONS", ["allowed methods"]),
        ("PUT, DELETE and PATCH", ["method not allowed"]),
        ("path below a call", ["not found"]),
        ("unknown publication", ["not found"]),
        ("repeated credentials", ["bad request"]),
    ]

    private static func responses(of contentRoute: SoakApp.ContentRoute) -> [(call: String, responses: [String])] {
        let plain = [
            "content", "content, free", "denied, other edition", "denied, session ended", "denied, session revoked",
        ]
        // A HEAD request has no range to resume.
        if contentRoute == .fileServerHead { return [(call: contentRoute.rawValue, responses: plain)] }
        return [
            (call: contentRoute.rawValue, responses: plain + ["content, resumed late", "denied, credentials expired"]),
            (call: "feed's \(contentRoute.rawValue)", responses: ["content", "denied", "denied, an edition"]),
        ]
    }

    /// The required calls during each kind of fault.
    private static let requiredCallsDuringFaults: [(call: String, responses: [String])] = [
        ("sign_in", [SoakApp.retryLater]),
        ("renew_token", [SoakApp.retryLater]),
        ("verify_subscription", ["active", SoakApp.retryLater]),
        ("edition_credentials", [SoakTally.failedOpen, SoakApp.retryLater]),
        ("sign_out", ["signed out"]),
        ("feed", ["draft readers' feed"]),
        ("HEAD", ["headers"]),
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
                missing.append("\(call) never returned \"\(response)\"")
            }
        }
        for day in Outage.allCases.map(\.rawValue) {
            let lines = lines.filter { $0.day == day }
            for (call, responses) in requiredCallsDuringFaults {
                for response in responses where !lines.contains(where: { $0.call == call && $0.response == response }) {
                    missing.append("\(call) never returned \"\(response)\" during the fault \"\(day)\"")
                }
            }
        }
        for call in calls {
            let ways = CallVariant.FieldPlacement.allCases.map(\.rawValue) + [CallVariant.slash, CallVariant.bare]
            for callVariant in call == "renew_token" ? ways + [CallVariant.short] : ways
            where !labels.contains(where: { $0.call == call && $0.name == callVariant }) {
                missing.append("\(call) was never made in the variant \"\(callVariant)\"")
            }
        }
        return missing
    }
}
