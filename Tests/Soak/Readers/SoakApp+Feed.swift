import AccessModel
import Foundation
import TestSupport

/// A publication's feed of editions, and the content file that the feed's credentials open.
extension SoakApp {
    /// The credentials of a feed request.
    struct FeedOffer {
        let userid: String
        let password: String
        /// The token to which these feed credentials belong, or nil for invalid ones.
        let token: SoakReader.Token?

        init(_ userid: String, _ password: String, of token: SoakReader.Token? = nil) {
            self.userid = userid
            self.password = password
            self.token = token
        }

        /// Creates the feed credentials of a token, or nil if it has none.
        init?(of token: SoakReader.Token) {
            guard let password = SoakPlan.feedPassword(token.text, in: token.title) else { return nil }
            self.init(token.text, password, of: token)
        }
    }

    /// Returns no credentials, current or earlier feed credentials, those of an edition, or invalid ones.
    private func offer() -> FeedOffer? {
        let token = tokens.draw(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<2: return nil
        case 2: return token.map { FeedOffer($0.text, String(repeating: "0f", count: 20)) }
        case 3: return pairs.draw(using: &random).map { FeedOffer($0.userid, $0.password) }
        default: return token.flatMap { FeedOffer(of: $0) }
        }
    }

    /// Returns the possible statuses of feed credentials during a call.
    private func tokenStatuses(_ offer: FeedOffer?, of title: Int, _ call: Call) -> [TokenStatus] {
        guard let token = offer?.token, token.title == title else { return [.unreadable] }
        return tokenStatuses(token, call)
    }

    func readFeed(_ title: Int) async throws { try await readFeed(title, offer()) }

    func readFeed(_ title: Int, _ offer: FeedOffer?) async throws {
        let feed = SoakPlan.titles[title].feed
        let isPersonal = offer != nil && feed == .forDraftReaders
        let isBare = title == 0 && Bool.random(using: &random)
        let file = Bool.random(using: &random) ? "feed" : "feed.xml"
        let path = isBare ? "/\(file)" : "/\(SoakPlan.titles[title].id)/\(file)"
        let call = try await exchange(
            "feed", in: title, caching: isPersonal ? .draftReaders : .publicCache(varies: true)
        ) {
            try await context.http.send("GET", path, offer.map { [Self.basic($0.userid, $0.password)] } ?? [])
        }
        guard feed != .missing else {
            guard call.response.status == 404 else {
                throw fail(call, "expected status 404, because the publication has no feed")
            }
            record(call, "no feed")
            return
        }
        guard call.response.status == 200 else { throw fail(call, "expected status 200, because the feed is public") }
        let tokenStatuses = feed == .forDraftReaders ? tokenStatuses(offer, of: title, call) : [.unreadable]
        // The first identifier is the feed's own.
        let shown = Set(call.response.elements("id").dropFirst())
        let isForDraftReaders = shown == SoakPlan.shown(toDraftReaders: true)
        guard isForDraftReaders || shown == SoakPlan.shown(toDraftReaders: false) else {
            throw fail(call, "unexpected editions: \(shown.sorted())")
        }
        guard isForDraftReaders ? tokenStatuses.contains(.good) : tokenStatuses != [.good] else {
            throw fail(call, "unexpected editions for a token of status \(tokenStatuses): \(shown.sorted())")
        }
        let isNotOut = SoakPlan.shown(toDraftReaders: true).subtracting(SoakPlan.shown(toDraftReaders: false))
        guard call.response.elements("app:draft").count == (isForDraftReaders ? isNotOut.count : 0) else {
            throw fail(call, "expected exactly the unpublished editions as drafts")
        }
        guard context.documents.isSame("feed \(title) \(isForDraftReaders)", call.response.body) else {
            throw fail(call, "the feed differs between readers")
        }
        record(
            call,
            isForDraftReaders ? "draft readers' feed" : isPersonal ? "public feed, invalid credentials" : "public feed")
    }

    func openFeedFile(_ title: Int) async throws {
        let contentRoutes: [ContentRoute] = [.fileServer, .authRequest]
        let file = Int.random(in: 0..<4, using: &random) == 0 ? "\(SoakPlan.first)/index.html" : SoakPlan.feedFile
        try await openFeedFile(title, offer(), contentRoutes.randomElement(using: &random) ?? .fileServer, file)
    }

    /// Checks that feed credentials open the feed's file and no edition.
    func openFeedFile(
        _ title: Int, _ offer: FeedOffer?, _ contentRoute: ContentRoute, _ file: String = SoakPlan.feedFile
    ) async throws {
        let path = "/content/\(SoakPlan.titles[title].id)/\(file)"
        // An edition's own credentials would open it: see ``download(with:_:)``.
        let offer = file != SoakPlan.feedFile && offer?.token == nil ? nil : offer
        let fields = offer.map { [Self.basic($0.userid, $0.password)] } ?? []
        for call in try await fetch(path, fields, contentRoute, feed: true) {
            let isAllowed = call.response.status == 200
            guard isAllowed || call.response.status == 403 else { throw fail(call, "expected the content or 403") }
            let tokenStatuses = file == SoakPlan.feedFile ? tokenStatuses(offer, of: title, call) : [.unreadable]
            guard isAllowed ? tokenStatuses.contains(.good) : tokenStatuses != [.good] else {
                throw fail(call, "\(file) of \(SoakPlan.titles[title].id) with a token of status \(tokenStatuses)")
            }
            if isAllowed { try checkContent(call, file, contentRoute) }
            record(call, isAllowed ? "content" : file == SoakPlan.feedFile ? "denied" : "denied, an edition")
        }
    }
}
