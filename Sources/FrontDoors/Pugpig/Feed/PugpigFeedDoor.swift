import Gatefold
import HTTPTypes
import Hummingbird
package import Primitives
package import Settings

/// The feeds of editions: `/feed` and `/PUBLICATION/feed`, with or without `.xml`, and `/itunes/APP` for the
/// Newsstand.
package struct PugpigFeedDoor: FrontDoor {
    package typealias PublicationSettings = FeedSettings

    package static let name = "Pugpig feed"
    package static let pathSegments: Set<String> = ["feed", "itunes"]

    package init() {}

    package static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> FeedSettings? {
        try FeedSettings(
            section, publication: publication.id, content: publication.content,
            issuesFeedPassword: publication.publication.issuesFeedPassword)
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        var feeds = FeedDirectory()
        for publication in publications.all {
            guard let settings = publication.settings[PugpigFeedDoor.self] else { continue }
            let feed = PublicationFeed(
                settings, catalogue: publication.authorizationService.publication.rule.currentCatalogue,
                verifier: publication.feedVerifier, revocations: publication.revocations)
            feeds.byID[publication.id] = feed
            if publications.directory.default?.publication.id == publication.id { feeds.default = feed }
        }
        return FeedSnapshot(feeds, clock: services.clock)
    }
}

/// The feeds of the publications of one configuration.
package struct FeedSnapshot: FrontDoorSnapshot {
    private let feeds: FeedDirectory
    private let clock: WallClock

    package init(_ feeds: FeedDirectory, clock: WallClock) {
        self.feeds = feeds
        self.clock = clock
    }

    package func addRoutes(to routes: inout Routes) {
        for path in ["/feed", "/feed.xml", "/{publication}/feed", "/{publication}/feed.xml", "/itunes/{app}"] {
            routes.on(RoutePattern(path)) { request, context in respond(to: request, context) }
        }
    }

    private func respond(to request: Request, _ context: GatefoldRequestContext) -> Response {
        guard let (feed, isNewsstand) = feed(at: request.uri.path) else {
            context.refuse(Refusal(.unknownPublication, .catalogue))
            return PugpigResponse.notFound()
        }
        switch request.method {
        case .get, .head:
            do {
                return isNewsstand
                    ? try feed.newsstandResponse(to: request, at: clock.now)
                    : try feed.response(to: request, at: clock.now)
            } catch {
                context.refuse(Refusal(error.reason, .catalogue))
                return PugpigResponse.unavailable(retryAfter: error.retryAfter)
            }
        case .options: return Response(status: .noContent, headers: [.allow: Self.allowed])
        default: return Response(status: .methodNotAllowed, headers: [.allow: Self.allowed])
        }
    }

    private static var allowed: String { "GET, HEAD, OPTIONS" }

    /// Returns the feed of a path. The spelling must be exact, because the router accepts more spellings than a
    /// cache between may treat as the same path.
    ///
    /// Source: Pitfall 16, “Responses stored by shared caches”.
    func feed(at path: String) -> (PublicationFeed, isNewsstand: Bool)? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments[0].isEmpty else { return nil }
        let names: [Substring] = ["feed", "feed.xml"]
        switch segments.count {
        case 2 where names.contains(segments[1]):
            return feeds.default.map { ($0, false) }
        case 3 where segments[1] == "itunes":
            return feeds.newsstandFeed(of: String(segments[2])).map { ($0, true) }
        case 3 where names.contains(segments[2]):
            return PublicationID(segments[1]).flatMap { feeds.byID[$0] }.map { ($0, false) }
        default: return nil
        }
    }
}
