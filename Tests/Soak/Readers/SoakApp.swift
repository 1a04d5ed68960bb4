import AccessModel
import Foundation
import Gatefold
import TestSupport

/// One of a reader's apps: calls whatever apps call, at its own pace, and believes nothing.
final class SoakApp {
    /// An answer that no state of the reader's world allows.
    struct Contradiction: Error {
        /// With the reader's history.
        let words: String
    }

    /// Edition credentials as the app keeps them.
    struct Pair {
        let userid: String
        let password: String
        let edition: String
        let token: SoakReader.Token
        /// When it was asked for.
        let asked: Date
        /// What its salt says.
        let expires: Date
    }

    let reader: SoakReader
    let scene: Soak.Scene
    let app: Int
    var random: SeededRandom
    var tokens = Drawer<SoakReader.Token>(latest: 6, oldOneIn: 8)
    var pairs = Drawer<Pair>(latest: 8, oldOneIn: 16)

    init(_ reader: SoakReader, _ app: Int, _ scene: Soak.Scene) {
        self.reader = reader
        self.scene = scene
        self.app = app
        random = SeededRandom(seed: scene.plan.seed &* 1_000_003 &+ UInt64(reader.number * 2 + app))
    }

    /// Calls until the soak is over.
    ///
    /// - Returns: the first wrong answer, or what else went wrong.
    func live() async -> String? {
        do {
            while !scene.curtain.hasFallen {
                try await act()
                let pause = scene.plan.pause * Double.random(in: 0.3...1.7, using: &random)
                try await Task.sleep(for: pause)
            }
            return nil
        } catch let contradiction as Contradiction {
            return contradiction.words
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
        case 6..<8: try await showShelf(title, ofBaker: Bool.random(using: &random))
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

    /// An app now and then asks the same again at once, which is answered from what was said before.
    func times() -> Int { Int.random(in: 0..<5, using: &random) == 0 ? 3 : 1 }

    /// What a token may be worth during a call.
    func standings(_ token: SoakReader.Token, _ call: Call) -> [TokenStanding] {
        if token.sitting.isEnded(at: call.start) { return [.ended] }
        var all: [TokenStanding] = token.sitting.mayBeEnded(by: call.end) ? [.ended] : []
        if call.start < token.expiresLatest { all.append(.good) }
        if call.end >= token.expiresEarliest, call.start < token.endsLatest { all.append(.renewable) }
        if call.end >= token.endsEarliest { all.append(.expired) }
        return all
    }

    /// How a token ended that is not good, in words for the tally.
    func ending(_ token: SoakReader.Token, _ standings: [TokenStanding]) -> String {
        switch standings {
        case [.ended]: token.sitting.ending
        case [.renewable]: "token expired"
        case [.expired]: "token over"
        default: "on the edge"
        }
    }
}
