import BackendFixtures
import Foundation
import TestSupport

/// Covers in the first round everything that the crowd does at random: each call in each variant, each response, and
/// every possible outcome of each kind of fault.
///
/// Its responses are checked like all others. In addition it ensures that they occur, so that the requirements of
/// ``SoakFloors`` do not depend on the seed, the number of readers or the pace.
final class CoverageDriver {
    /// The participants of one fault.
    struct FaultParticipants {
        let regular: SoakApp
        let reported: SoakReader.Token
        let pair: SoakApp.Pair
        let newcomer: SoakApp
        /// A token of the first publication, which does not fail open. The other one is of the second, which does.
        let closed: SoakReader.Token
        let open: SoakReader.Token
    }

    /// The limit for retries of an operation that is fast without a fault.
    private static let timeout: Duration = .seconds(30)

    private let context: Soak.SoakContext
    private let explorer: SoakApp
    /// Tokens of the first publication, whose tokens expire first, with the oldest first.
    private var revalidating: [SoakReader.Token] = []

    init(_ context: Soak.SoakContext) {
        self.context = context
        explorer = SoakApp(context.fixedReaders.explorer, 0, context)
    }

    // MARK: - Normal operation

    func exerciseEveryCall() async throws {
        revalidating.append(try await signedIn(explorer, 0))
        for (number, callVariant) in CallVariant.all.enumerated() {
            let token = try await signedIn(
                explorer, callVariant.isBare ? 0 : number % SoakPlan.titles.count, callVariant)
            try await explorer.verify(token, callVariant)
            try await explorer.credentials(token, for: SoakPlan.first, callVariant)
            try await explorer.renew(token, callVariant)
            try await explorer.signOut(token, callVariant)
        }
        for title in SoakPlan.titles.indices {
            _ = try await retrying("a rejected sign-in") {
                try await self.explorer.signInWrongly(title) == SoakApp.retryLater ? nil : true
            }
            try await explorer.verifyForged(title)
            try await explorer.showCatalogue(title, ofBaker: true)
            try await explorer.showCatalogue(title, ofBaker: false)
            try await exerciseSession(title)
        }
        for (reader, state) in [
            (context.fixedReaders.lapsed, "inactive"), (context.fixedReaders.suspended, "suspended"),
        ] {
            let app = SoakApp(reader, 0, context)
            try await reported(state, app, try await signedIn(app, 1))
        }
    }

    private func exerciseSession(_ title: Int) async throws {
        let token = try await signedIn(explorer, title)
        for probe in SoakApp.Probe.allCases {
            for name in title == 0 ? SoakApp.pugpigCalls : ["sign_out"] {
                try await explorer.probe(probe, name, token)
            }
        }
        // The token is still valid after all of the calls.
        try await reported("active", explorer, token)
        _ = try await retrying("a renewal") { try await self.explorer.renew(token) }
        let pair = try await pair(explorer, token)
        for edition in SoakPlan.editions { try await explorer.credentials(token, for: edition) }
        for contentRoute in SoakApp.ContentRoute.allCases {
            for edition in [SoakPlan.first, SoakPlan.second, SoakPlan.free] {
                try await explorer.download(
                    with: pair, SoakApp.DownloadTask(edition: edition, title: title, contentRoute: contentRoute))
            }
            guard contentRoute != .fileServerHead else { continue }
            for (minutes, isResume) in [(0, true), (0, false), (2, true)] {
                try await explorer.download(
                    with: try pair.aged(by: minutes),
                    SoakApp.DownloadTask(
                        edition: pair.edition, title: title, contentRoute: contentRoute, isResume: isResume))
            }
            for offer in [nil, SoakApp.FeedOffer(of: token)] {
                try await explorer.openFeedFile(title, offer, contentRoute)
                try await explorer.openFeedFile(title, offer, contentRoute, "\(SoakPlan.first)/index.html")
            }
        }
        for offer in [nil, SoakApp.FeedOffer(of: token)] { try await explorer.readFeed(title, offer) }
        try await explorer.signOut(token)
        try await verifyTermination(of: token, pair)
    }

    /// Checks that the end of a session ends everything issued for it.
    private func verifyTermination(of token: SoakReader.Token, _ pair: SoakApp.Pair) async throws {
        try await explorer.verify(token)
        try await explorer.credentials(token, for: SoakPlan.first)
        try await explorer.renew(token)
        for contentRoute in SoakApp.ContentRoute.allCases {
            try await explorer.download(
                with: pair, SoakApp.DownloadTask(edition: pair.edition, title: token.title, contentRoute: contentRoute))
        }
        try await explorer.readFeed(token.title, SoakApp.FeedOffer(of: token))
        try await explorer.openFeedFile(token.title, SoakApp.FeedOffer(of: token), .fileServer)
    }

    // MARK: - Faults

    /// Prepares known and unknown readers before a fault. The last fault may have just ended.
    func prepare(_ faultReaders: FixedReaders.FaultReaders) async throws -> FaultParticipants {
        revalidating.append(try await signedIn(explorer, 0))
        let regular = SoakApp(faultReaders.regular, 0, context)
        let newcomer = SoakApp(faultReaders.newcomer, 0, context)
        let closed = try await signedIn(newcomer, 0)
        let open = try await signedIn(newcomer, 1)
        let token = try await signedIn(regular, 1)
        try await reported("active", regular, token)
        return FaultParticipants(
            regular: regular, reported: token, pair: try await pair(regular, token), newcomer: newcomer, closed: closed,
            open: open)
    }

    /// Runs after the system has failed: a query without a cached result cannot succeed.
    func runDuringFault(_ participants: FaultParticipants) async throws {
        let (regular, newcomer) = (participants.regular, participants.newcomer)
        try await regular.verify(participants.reported)
        try await newcomer.credentials(participants.open, for: SoakPlan.first)
        try await newcomer.credentials(participants.closed, for: SoakPlan.first)
        try await newcomer.verify(participants.open)
        try await newcomer.renew(participants.closed)
        try await newcomer.signInWrongly(0)
        for contentRoute in SoakApp.ContentRoute.allCases {
            try await regular.download(
                with: participants.pair,
                SoakApp.DownloadTask(
                    edition: participants.pair.edition, title: participants.reported.title, contentRoute: contentRoute))
        }
        try await newcomer.readFeed(participants.closed.title, SoakApp.FeedOffer(of: participants.closed))
        try await newcomer.probe(.head, "verify_subscription", participants.open)
        try await newcomer.signOut(participants.open)
    }

    // MARK: - Expiries

    /// Checks that tokens expire, are renewed and finally end, and that an operator's revocation ends a session. Runs
    /// without faults.
    func verifyTerminations() async throws {
        let token = try await nextToEnd()
        try await context.pauseCancellably(until: token.expiresLatest)
        try await explorer.verify(token)
        try await explorer.credentials(token, for: SoakPlan.first)
        try await explorer.readFeed(token.title, SoakApp.FeedOffer(of: token))
        _ = try await retrying("a renewal") { try await self.explorer.renew(token) }

        let revoked = try await signedIn(explorer, 1)
        let pair = try await pair(explorer, revoked)
        try await context.fixedReaders.explorer.revoke(revoked, context)
        let isKnown = Date().addingTimeInterval(SoakPlan.Times.following)

        try await context.pauseCancellably(until: token.endsLatest)
        try await explorer.verify(token)
        try await explorer.renew(token)
        try await context.pauseCancellably(until: isKnown)
        try await verifyTermination(of: revoked, pair)
    }

    /// Returns the oldest token that can be renewed for some more seconds, after its expiry.
    private func nextToEnd() async throws -> SoakReader.Token {
        let soon = Date().addingTimeInterval(9)
        if let token = revalidating.first(where: { $0.endsEarliest > soon }) { return token }
        return try await signedIn(explorer, 0)
    }

    // MARK: - Steps

    private func signedIn(_ app: SoakApp, _ title: Int, _ callVariant: CallVariant? = nil) async throws
        -> SoakReader.Token
    {
        try await retrying("signing in") { try await app.signIn(title, callVariant) }
    }

    private func reported(_ state: String, _ app: SoakApp, _ token: SoakReader.Token) async throws {
        _ = try await retrying("the state \"\(state)\"") { try await app.verify(token) == state ? true : nil }
    }

    private func pair(_ app: SoakApp, _ token: SoakReader.Token) async throws -> SoakApp.Pair {
        try await retrying("edition credentials") { try await app.credentials(token, for: SoakPlan.first) }
    }

    /// Retries an attempt whose response asks for a retry.
    private func retrying<Value>(_ operation: String, _ attempt: () async throws -> Value?) async throws -> Value {
        let end = ContinuousClock.now + Self.timeout
        while ContinuousClock.now < end {
            if let value = try await attempt() { return value }
            try await context.pauseCancellably(.milliseconds(100))
        }
        throw Soak.Failed(description: "\(operation) did not succeed for \(Self.timeout)")
    }
}
