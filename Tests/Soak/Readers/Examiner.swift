import BackendBenches
import Foundation
import TestSupport

/// Makes sure that in the first round everything happens that the crowd does by chance: each call in each way, each answer there
/// is, and what each kind of bad day leaves possible.
///
/// Its answers are judged as all others are; what it adds is that they were given. So nothing that ``SoakFloors`` demand depends
/// on the seed, the number of readers or the pace.
final class Examiner {
    /// Who lives through one bad day.
    struct Cast {
        let regular: SoakApp
        let told: SoakReader.Token
        let pair: SoakApp.Pair
        let newcomer: SoakApp
        /// Of the first publication, which does not fail open, and of the second, which does.
        let closed: SoakReader.Token
        let open: SoakReader.Token
    }

    /// So long it tries what on a good day takes no time.
    private static let patience: Duration = .seconds(30)

    private let scene: Soak.Scene
    private let curious: SoakApp
    /// Of the first publication, whose tokens end first; the oldest first.
    private var ageing: [SoakReader.Token] = []

    init(_ scene: Soak.Scene) {
        self.scene = scene
        curious = SoakApp(scene.guests.curious, 0, scene)
    }

    // MARK: - A good day

    func tryEverything() async throws {
        ageing.append(try await signedIn(curious, 0))
        for (number, way) in Way.all.enumerated() {
            let token = try await signedIn(curious, way.isBare ? 0 : number % SoakPlan.titles.count, way)
            try await curious.verify(token, way)
            try await curious.credentials(token, for: SoakPlan.first, way)
            try await curious.renew(token, way)
            try await curious.signOut(token, way)
        }
        for title in SoakPlan.titles.indices {
            _ = try await insist("being refused") {
                try await self.curious.signInWrongly(title) == SoakApp.comeBackLater ? nil : true
            }
            try await curious.verifyForged(title)
            try await curious.showShelf(title, ofBaker: true)
            try await curious.showShelf(title, ofBaker: false)
            try await liveThroughASession(title)
        }
        for (reader, state) in [(scene.guests.lapsed, "inactive"), (scene.guests.suspended, "suspended")] {
            let app = SoakApp(reader, 0, scene)
            try await told(state, app, try await signedIn(app, 1))
        }
    }

    private func liveThroughASession(_ title: Int) async throws {
        let token = try await signedIn(curious, title)
        for probe in SoakApp.Probe.allCases {
            for name in title == 0 ? SoakApp.pugpigCalls : ["sign_out"] {
                try await curious.probe(probe, name, token)
            }
        }
        // None of these has ended it.
        try await told("active", curious, token)
        _ = try await insist("a renewal") { try await self.curious.renew(token) }
        let pair = try await pair(curious, token)
        for edition in SoakPlan.editions { try await curious.credentials(token, for: edition) }
        for door in SoakApp.Door.allCases {
            for edition in [SoakPlan.first, SoakPlan.second, SoakPlan.free] {
                try await curious.download(with: pair, SoakApp.Errand(edition: edition, title: title, door: door))
            }
            guard door != .fileServerHead else { continue }
            for (minutes, isResume) in [(0, true), (0, false), (2, true)] {
                try await curious.download(
                    with: try pair.aged(by: minutes),
                    SoakApp.Errand(edition: pair.edition, title: title, door: door, isResume: isResume))
            }
            for offer in [nil, SoakApp.FeedOffer(of: token)] {
                try await curious.openFeedFile(title, offer, door)
                try await curious.openFeedFile(title, offer, door, "\(SoakPlan.first)/index.html")
            }
        }
        for offer in [nil, SoakApp.FeedOffer(of: token)] { try await curious.readFeed(title, offer) }
        try await curious.signOut(token)
        try await seeTheEnd(of: token, pair)
    }

    /// Whatever a session gave is over with it.
    private func seeTheEnd(of token: SoakReader.Token, _ pair: SoakApp.Pair) async throws {
        try await curious.verify(token)
        try await curious.credentials(token, for: SoakPlan.first)
        try await curious.renew(token)
        for door in SoakApp.Door.allCases {
            try await curious.download(
                with: pair, SoakApp.Errand(edition: pair.edition, title: token.title, door: door))
        }
        try await curious.readFeed(token.title, SoakApp.FeedOffer(of: token))
        try await curious.openFeedFile(token.title, SoakApp.FeedOffer(of: token), .fileServer)
    }

    // MARK: - A bad day

    /// What has to be known, or not known, before a bad day; the last one may have just ended.
    func prepare(_ witnesses: Guests.Witnesses) async throws -> Cast {
        ageing.append(try await signedIn(curious, 0))
        let regular = SoakApp(witnesses.regular, 0, scene)
        let newcomer = SoakApp(witnesses.newcomer, 0, scene)
        let closed = try await signedIn(newcomer, 0)
        let open = try await signedIn(newcomer, 1)
        let token = try await signedIn(regular, 1)
        try await told("active", regular, token)
        return Cast(
            regular: regular, told: token, pair: try await pair(regular, token), newcomer: newcomer, closed: closed,
            open: open)
    }

    /// Begins when the system has failed: what is asked for the first time can not be answered.
    func endure(_ cast: Cast) async throws {
        let (regular, newcomer) = (cast.regular, cast.newcomer)
        try await regular.verify(cast.told)
        try await newcomer.credentials(cast.open, for: SoakPlan.first)
        try await newcomer.credentials(cast.closed, for: SoakPlan.first)
        try await newcomer.verify(cast.open)
        try await newcomer.renew(cast.closed)
        try await newcomer.signInWrongly(0)
        for door in SoakApp.Door.allCases {
            try await regular.download(
                with: cast.pair, SoakApp.Errand(edition: cast.pair.edition, title: cast.told.title, door: door))
        }
        try await newcomer.readFeed(cast.closed.title, SoakApp.FeedOffer(of: cast.closed))
        try await newcomer.probe(.head, "verify_subscription", cast.open)
        try await newcomer.signOut(cast.open)
    }

    // MARK: - What takes its time

    /// Tokens end, are renewed and end for good; a session ends because an operator says so. It is a good day.
    func seeTheEnds() async throws {
        let token = try await nextToEnd()
        try await scene.calmly(until: token.expiresLatest)
        try await curious.verify(token)
        try await curious.credentials(token, for: SoakPlan.first)
        try await curious.readFeed(token.title, SoakApp.FeedOffer(of: token))
        _ = try await insist("a renewal") { try await self.curious.renew(token) }

        let revoked = try await signedIn(curious, 1)
        let pair = try await pair(curious, revoked)
        try await scene.guests.curious.revoke(revoked, scene)
        let isKnown = Date().addingTimeInterval(SoakPlan.Times.following)

        try await scene.calmly(until: token.endsLatest)
        try await curious.verify(token)
        try await curious.renew(token)
        try await scene.calmly(until: isKnown)
        try await seeTheEnd(of: revoked, pair)
    }

    /// The oldest token that can be renewed for some seconds more, once it has ended.
    private func nextToEnd() async throws -> SoakReader.Token {
        let soon = Date().addingTimeInterval(9)
        if let token = ageing.first(where: { $0.endsEarliest > soon }) { return token }
        return try await signedIn(curious, 0)
    }

    // MARK: - Steps

    private func signedIn(_ app: SoakApp, _ title: Int, _ way: Way? = nil) async throws -> SoakReader.Token {
        try await insist("signing in") { try await app.signIn(title, way) }
    }

    private func told(_ state: String, _ app: SoakApp, _ token: SoakReader.Token) async throws {
        _ = try await insist("being told \"\(state)\"") { try await app.verify(token) == state ? true : nil }
    }

    private func pair(_ app: SoakApp, _ token: SoakReader.Token) async throws -> SoakApp.Pair {
        try await insist("edition credentials") { try await app.credentials(token, for: SoakPlan.first) }
    }

    /// Tries again where it was asked to come back.
    private func insist<Value>(_ words: String, _ attempt: () async throws -> Value?) async throws -> Value {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            if let value = try await attempt() { return value }
            try await scene.calmly(.milliseconds(100))
        }
        throw Soak.Failed(description: "\(words) did not succeed for \(Self.patience)")
    }
}
