import Testing

/// A test user and its expected results (Pugpig test endpoint, “Test users”). Unless stated, the time is in an even
/// five minutes of the hour.
struct TestUserRow: Sendable, CustomTestStringConvertible {
    enum SignIn: Equatable { case token, tokenAndFeed, rejected, raw(Int) }
    enum Issues: Equatable { case absent, empty, odd, random }
    enum Verification: Equatable { case state(String, Issues), raw(Int) }
    enum Editions: Equatable { case all, allAndNone, odd, none, random, errorWithoutStatus, raw(Int) }
    enum Renewal: Equatable { case token, becomes(String), rejected, oneMoreRenewal }

    let user: String
    var password = "anything"
    var isOddSlot = false
    let signIn: SignIn
    let verification: Verification
    let editions: Editions
    var renewal = Renewal.token

    var testDescription: String { user + (isOddSlot ? " in an odd slot" : "") }

    init(
        _ user: String, _ signIn: SignIn, _ verification: Verification, _ editions: Editions,
        renewal: Renewal = .token, password: String = "anything", isOddSlot: Bool = false
    ) {
        self.user = user
        self.signIn = signIn
        self.verification = verification
        self.editions = editions
        self.renewal = renewal
        self.password = password
        self.isOddSlot = isOddSlot
    }

    static let everything = Verification.state("active", .absent)

    static let all: [TestUserRow] =
        [
            TestUserRow("activeall", .token, everything, .all),
            TestUserRow("ActiveAll", .token, everything, .all),
            TestUserRow("activenone", .token, .state("active", .empty), .none),
            TestUserRow("activesome", .token, .state("active", .odd), .odd),
            TestUserRow("activerandom", .token, .state("active", .random), .random),
            TestUserRow("activeglobal", .tokenAndFeed, everything, .all),
            TestUserRow("lapsedall", .token, .state("inactive", .absent), .none),
            TestUserRow("lapsedglobal", .tokenAndFeed, .state("inactive", .absent), .none),
            TestUserRow("lapsednone", .token, .state("inactive", .empty), .none),
            TestUserRow("lapsedsome", .token, .state("inactive", .odd), .odd),
            TestUserRow("lapsedrandom", .token, .state("inactive", .random), .random),
            TestUserRow("flipall", .token, .state("inactive", .absent), .none),
            TestUserRow("flipnone", .token, .state("inactive", .empty), .none),
            TestUserRow("flipsome", .token, .state("inactive", .odd), .odd),
            TestUserRow("fliprandom", .token, .state("inactive", .random), .random),
            TestUserRow("flipglobal", .tokenAndFeed, .state("inactive", .absent), .none),
            TestUserRow("flipall", .token, everything, .all, isOddSlot: true),
            TestUserRow("flipnone", .token, .state("active", .empty), .none, isOddSlot: true),
            TestUserRow("flipsome", .token, .state("active", .odd), .odd, isOddSlot: true),
            TestUserRow("fliprandom", .token, .state("active", .random), .random, isOddSlot: true),
            TestUserRow("flipglobal", .tokenAndFeed, everything, .all, isOddSlot: true),
            TestUserRow("yesbyproxy", .token, everything, .none),
            TestUserRow("longjson", .token, everything, .allAndNone),
            TestUserRow("credserror", .token, everything, .errorWithoutStatus),
            TestUserRow("expiredtoken", .token, .state("stale", .empty), .none, renewal: .becomes("llaevitca")),
            TestUserRow("blockedtoken", .token, .state("stale", .empty), .none, renewal: .rejected),
            TestUserRow("alwaysstaletoken", .token, .state("stale", .empty), .none, renewal: .oneMoreRenewal),
            TestUserRow("peter", .token, everything, .allAndNone, password: "PAN"),
            TestUserRow("peter", .rejected, everything, .allAndNone, password: "wendy"),
            TestUserRow("nobody", .rejected, .state("inactive", .empty), .none),
            TestUserRow("skeleton_key", .rejected, .state("inactive", .empty), .none),
        ] + statusCoders

    /// The combinations that the historic endpoint lists, and texts that are not a status.
    private static let statusCoders =
        [
            "zzz-200-200", "200-zzz-200", "200-200-zzz", "200-200-500", "200-500-500", "500-500-500", "500-200-200",
            "500-500-200", "200-200-200", "200-200-000", "200-000-000", "000-000-000", "000-200-200", "000-000-200",
            "401-403-404", "200-foo-999", "200-100-",
        ].map { name in
            let codes = name.split(separator: "-", omittingEmptySubsequences: false).map { part -> Int? in
                switch part {
                case "200", "zzz": nil
                case "000": 200
                case "401", "403", "404": Int(part)
                default: 500
                }
            }
            return TestUserRow(
                name, codes[0].map { .raw($0) } ?? .token, codes[1].map { .raw($0) } ?? everything,
                codes[2].map { .raw($0) } ?? .all)
        }
}
