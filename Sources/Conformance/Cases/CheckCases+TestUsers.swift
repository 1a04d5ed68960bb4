extension CheckCases {
    /// The test users of the historic endpoint, with these exceptions:
    /// - `activerandom`, `lapsedrandom` and `fliprandom`, because their responses change at random.
    /// - `flipall`, `flipnone`, `flipsome` and `flipglobal`, because their responses change every five minutes.
    /// - Codes with `zzz`, because they respond after a minute, which is longer than the time limit of a check.
    /// - Codes with `000`, because they return 200 with a text that is not XML: the right response would break a
    ///   rule.
    /// - Other codes, because `200` responds as `activeall` does, and the list already has one code for each call
    ///   that can fail.
    ///
    /// Source: Pugpig test endpoint and test console, “Test users”.
    package static let testUsers: [CheckReader] = {
        let first = edition(1)
        let second = edition(2)
        let odd = CheckReader.Issues.listed(Set(stride(from: 1, through: 100, by: 2).map(edition)))
        return [
            user("activeall", .active, .everything, holds: [first, second]),
            user("activenone", .active, .nothing, lacks: [first]),
            user("activesome", .active, odd, holds: [first], lacks: [second]),
            user("activeglobal", .active, .everything, holds: [second]) { $0.hasOwnFeed = true },
            user("lapsedall", .inactive, .everything, lacks: [first]),
            user("lapsednone", .inactive, .nothing, lacks: [first]),
            user("lapsedsome", .inactive, odd, holds: [first], lacks: [second]),
            user("lapsedglobal", .inactive, .everything, lacks: [first]) { $0.hasOwnFeed = true },
            // Verification and credentials disagree on purpose.
            user("yesbyproxy", .active, .everything, lacks: [first]),
            user("longjson", .active, .everything, holds: [first]),
            user("credserror", .active, .everything, lacks: [first]),
            user("expiredtoken", .stale, nil, lacks: [first]) { $0.renewal = .token },
            user("blockedtoken", .stale, nil, lacks: [first]) { $0.renewal = .rejected },
            user("alwaysstaletoken", .stale, nil, lacks: [first]) { $0.renewal = .stale },
            user("peter", .active, .everything, holds: [first]) {
                $0.signIn = [Field("username", "peter"), Field("password", "pan")]
                $0.triesWrongProof = true
            },
            user("500-500-500", nil, nil) { $0.failing = [.signIn] },
            // A code determines no renewal. The historic endpoint issues a token without a query, which rejects no
            // reader.
            user("200-500-500", nil, nil, holds: [first]) { $0.failing = [.verification, .renewal, .credentials] },
            user("200-200-500", .active, .everything, holds: [first]) { $0.failing = [.credentials] },
        ]
    }()

    private static func user(
        _ name: String, _ state: CheckReader.State?, _ issues: CheckReader.Issues?, holds: [String] = [],
        lacks: [String] = [], _ change: (inout CheckReader) -> Void = { _ in }
    ) -> CheckReader {
        var reader = CheckReader(name)
        // The endpoint accepts any password. A distinctive one shows wherever a response repeats it.
        reader.signIn = [Field("username", name), Field("password", "marker-5f0c1d7e")]
        reader.state = state
        reader.issues = issues
        reader.holds = holds
        reader.lacks = lacks
        change(&reader)
        return reader
    }

    private static func edition(_ number: Int) -> String {
        let digits = String(number)
        return "com.pugpig.edition" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
