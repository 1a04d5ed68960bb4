import AccessModel
import Foundation
import TestSupport

/// A publication's feed of editions, and the file of its content that the feed's credentials open.
extension SoakApp {
    /// What is sent with a request for a feed.
    struct FeedOffer {
        let userid: String
        let password: String
        /// The token whose feed credentials these are; nil for what never was any.
        let token: SoakReader.Token?

        init(_ userid: String, _ password: String, of token: SoakReader.Token? = nil) {
            self.userid = userid
            self.password = password
            self.token = token
        }

        /// The credentials that came with a token; nil where none did.
        init?(of token: SoakReader.Token) {
            guard let password = SoakPlan.feedPassword(token.text, in: token.title) else { return nil }
            self.init(token.text, password, of: token)
        }
    }

    /// Nothing, good or former credentials, an edition's or made-up ones.
    private func offer() -> FeedOffer? {
        let token = tokens.draw(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<2: return nil
        case 2: return token.map { FeedOffer($0.text, String(repeating: "0f", count: 20)) }
        case 3: return pairs.draw(using: &random).map { FeedOffer($0.userid, $0.password) }
        default: return token.flatMap { FeedOffer(of: $0) }
        }
    }

    /// What a feed's credentials may be worth during a call.
    private func standings(_ offer: FeedOffer?, of title: Int, _ call: Call) -> [TokenStanding] {
        guard let token = offer?.token, token.title == title else { return [.unreadable] }
        return standings(token, call)
    }

    func readFeed(_ title: Int) async throws { try await readFeed(title, offer()) }

    func readFeed(_ title: Int, _ offer: FeedOffer?) async throws {
        let feed = SoakPlan.titles[title].feed
        let isPersonal = offer != nil && feed == .forInsiders
        let isBare = title == 0 && Bool.random(using: &random)
        let file = Bool.random(using: &random) ? "feed" : "feed.xml"
        let path = isBare ? "/\(file)" : "/\(SoakPlan.titles[title].id)/\(file)"
        let call = try await exchange(
            "feed", in: title, caching: isPersonal ? .insiders : .everybodys(varies: true)
        ) {
            try await scene.http.send("GET", path, offer.map { [Self.basic($0.userid, $0.password)] } ?? [])
        }
        guard feed != .missing else {
            guard call.answer.status == 404 else { throw fail(call, "there is no such feed") }
            note(call, "no feed")
            return
        }
        guard call.answer.status == 200 else { throw fail(call, "the feed is everybody's") }
        let standings = feed == .forInsiders ? standings(offer, of: title, call) : [.unreadable]
        // The first identifier is the feed's own.
        let shown = Set(call.answer.elements("id").dropFirst())
        let isForInsiders = shown == SoakPlan.shown(toInsiders: true)
        guard isForInsiders || shown == SoakPlan.shown(toInsiders: false) else {
            throw fail(call, "shows \(shown.sorted())")
        }
        guard isForInsiders ? standings.contains(.good) : standings != [.good] else {
            throw fail(call, "shows \(shown.sorted()) to one who was \(standings)")
        }
        let isNotOut = SoakPlan.shown(toInsiders: true).subtracting(SoakPlan.shown(toInsiders: false))
        guard call.answer.elements("app:draft").count == (isForInsiders ? isNotOut.count : 0) else {
            throw fail(call, "what is not out yet is shown as a draft, and nothing else")
        }
        guard scene.documents.isSame("feed \(title) \(isForInsiders)", call.answer.body) else {
            throw fail(call, "others are shown another feed")
        }
        note(call, isForInsiders ? "insiders'" : isPersonal ? "everybody's, credentials not good" : "everybody's")
    }

    func openFeedFile(_ title: Int) async throws {
        let doors: [Door] = [.fileServer, .authRequest]
        let file = Int.random(in: 0..<4, using: &random) == 0 ? "\(SoakPlan.first)/index.html" : SoakPlan.feedFile
        try await openFeedFile(title, offer(), doors.randomElement(using: &random) ?? .fileServer, file)
    }

    /// A feed's credentials open its file, and no edition.
    func openFeedFile(
        _ title: Int, _ offer: FeedOffer?, _ door: Door, _ file: String = SoakPlan.feedFile
    ) async throws {
        let path = "/content/\(SoakPlan.titles[title].id)/\(file)"
        // An edition's own credentials would open it: see ``download(with:_:)``.
        let offer = file != SoakPlan.feedFile && offer?.token == nil ? nil : offer
        let fields = offer.map { [Self.basic($0.userid, $0.password)] } ?? []
        for call in try await fetch(path, fields, door, feed: true) {
            let isAllowed = call.answer.status == 200
            guard isAllowed || call.answer.status == 403 else { throw fail(call, "expected the content or 403") }
            let standings = file == SoakPlan.feedFile ? standings(offer, of: title, call) : [.unreadable]
            guard isAllowed ? standings.contains(.good) : standings != [.good] else {
                throw fail(call, "\(file) of \(SoakPlan.titles[title].id) asked by one \(standings)")
            }
            if isAllowed { try checkContent(call, file, door) }
            note(call, isAllowed ? "content" : file == SoakPlan.feedFile ? "refused" : "refused, an edition")
        }
    }
}
