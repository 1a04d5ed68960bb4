import AccessModel
import Foundation
import TestSupport

/// One of a reader's apps, which makes every kind of call at its own pace and checks each response.
final class SoakApp {
    /// A response that no state of the reader allows.
    struct Contradiction: Error {
        /// The description with the reader's history.
        let message: String
    }

    /// Edition credentials as the app stores them.
    struct Pair {
        let userid: String
        let password: String
        let edition: String
        let token: SoakReader.Token
        /// The time of the request.
        let requested: Date
        /// The expiry in the salt.
        let expires: Date
    }

    let reader: SoakReader
    let context: Soak.SoakContext
    let app: Int
    var random: SeededRandom
    var tokens = RecentItems<SoakReader.Token>(latest: 6, longLivedOneIn: 8)
    var pairs = RecentItems<Pair>(latest: 8, longLivedOneIn: 16)

    init(_ reader: SoakReader, _ app: Int, _ context: Soak.SoakContext) {
        self.reader = reader
        self.context = context
        self.app = app
        random = SeededRandom(seed: context.plan.seed &* 1_000_003 &+ UInt64(reader.number * 2 + app))
    }

    /// Makes calls until the end of the soak.
    ///
    /// - Returns: The first incorrect response, or another failure.
    func live() async -> String? {
        do {
            while !context.stopFlag.isStopRequested {
                try await act()
                let pause = context.plan.pause * Double.random(in: 0.3...1.7, using: &random)
                try await Task.sleep(for: pause)
            }
            return nil
        } catch let contradiction as Contradiction {
            return contradiction.message
        } catch is CancellationError {
            return nil
        } catch {
            return Task.isCancelled ? nil : "reader \(reader.number), app \(app): \(error)\n\(reader.history)"
        }
    }

    private func act() async throws {
        let title = Int.random(in: 0..<SoakPlan.titles.count, using: &random)
        let token = tokens.draw(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<4: try await signIn(title)
        case 4..<6: try await signInWrongly(title)
        case 6..<8: try await showCatalogue(title, ofBaker: Bool.random(using: &random))
        case 8..<10: try await readFeed(title)
        case 10..<12: try await openFeedFile(title)
        case 12..<14: try await verifyForged(title)
        case 14..<17:
            if let token { try await renew(token) }
        case 17..<18:
            if let token { try await signOut(token) }
        case 18..<20:
            if let token { try await probe(token) }
        case 20..<47:
            if let token { try await verify(token, times: times()) } else { try await signIn(title) }
        case 47..<73:
            if let token { try await credentials(token, times: times()) } else { try await signIn(title) }
        default: try await download()
        }
    }

    /// Returns how many times the app sends a request in a row. Repetitions get a cached response.
    func times() -> Int { Int.random(in: 0..<5, using: &random) == 0 ? 3 : 1 }

    /// Returns the possible statuses of a token during a call.
    func tokenStatuses(_ token: SoakReader.Token, _ call: Call) -> [TokenStatus] {
        if token.trackedSession.hasEnded(at: call.start) { return [.ended] }
        var all: [TokenStatus] = token.trackedSession.mayBeEnded(by: call.end) ? [.ended] : []
        if call.start < token.expiresLatest { all.append(.good) }
        if call.end >= token.expiresEarliest, call.start < token.endsLatest { all.append(.renewable) }
        if call.end >= token.endsEarliest { all.append(.expired) }
        return all
    }

    /// Returns a label for the way in which an invalid token ended.
    func ending(_ token: SoakReader.Token, _ tokenStatuses: [TokenStatus]) -> String {
        switch tokenStatuses {
        case [.ended]: token.trackedSession.ending
        case [.renewable]: "token renewable"
        case [.expired]: "token expired"
        default: "at the boundary"
        }
    }
}
