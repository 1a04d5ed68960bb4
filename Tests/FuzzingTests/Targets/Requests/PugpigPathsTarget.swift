import Gatefold
import Primitives
import Server

@testable import FrontDoors

extension FuzzTarget {
    /// Two lines: a path and the name of a publication. The parsed name is part of the path, and a call has exactly its
    /// own spellings, because a cache may distinguish others (Pitfall 16).
    static let pugpigPaths = FuzzTarget(
        "pugpig-paths", upTo: 256, of: "PugpigCall", "PugpigReceiptCall", "PugpigFeedDoor"
    ) { bytes in
        let lines = lines(bytes, 2)
        let publication = PublicationID(lines[1])
        var calls = 0
        for call in PugpigCall.allCases {
            check(lines[0], publication, call.rawValue) { call.publication(in: $0) }
            let selector = call.publication(in: lines[0])
            promise(
                call.publication(in: "\n\(lines[0])".dropFirst()) == selector, "a substring is parsed as another path")
            if selector != nil { calls += 1 }
        }
        for call in PugpigReceiptCall.allCases {
            check(lines[0], publication, "edition_credentials/\(call.rawValue)") { call.publication(in: $0) }
            if call.publication(in: lines[0]) != nil { calls += 1 }
        }
        promise(calls <= 1, "a path matches two calls")
        checkFeed(lines[0].utf8.first == 0x2F ? lines[0] : "/" + lines[0])
        checkFeed("/\(lines[1])/feed")
        checkFeed("/itunes/\(lines[1])")
    }

    private static func check(
        _ path: String, _ publication: PublicationID?, _ name: String,
        _ read: (String) -> PugpigCall.PublicationSelector?
    ) {
        if let selector = read(path) {
            let own = written(name, selector)
            promise([own, own + "/"].contains { $0.utf8.elementsEqual(path.utf8) }, "a path is not canonical")
        }
        var selectors = [PugpigCall.PublicationSelector.defaultPublication]
        if let publication { selectors.append(.named(publication)) }
        for selector in selectors {
            let path = written(name, selector)
            promise([path, path + "/"].allSatisfy { read($0) == selector }, "a written path could not be parsed")
            promise(
                [path + "//", "/" + path, path + "?"].allSatisfy { read($0) == nil }, "a path has several spellings")
        }
    }

    private static func written(_ name: String, _ selector: PugpigCall.PublicationSelector) -> String {
        switch selector {
        case .defaultPublication: "/\(name)"
        case .named(let publication): "/\(publication)/\(name)"
        }
    }

    private static func checkFeed(_ path: String) {
        let found = feedDoor.feed(at: path)
        let expected = feedPaths.first { $0.path.utf8.elementsEqual(path.utf8) }
        promise(
            found?.0 === expected?.feed && found?.isNewsstand == expected?.isNewsstand,
            "a path has the feed of another publication, or none")
    }

    /// Every path of a feed with its publication.
    private static let feedPaths: [(path: String, feed: PublicationFeed, isNewsstand: Bool)] = [
        ("/feed", weeklyFeed, false), ("/feed.xml", weeklyFeed, false), ("/daily/feed", dailyFeed, false),
        ("/daily/feed.xml", dailyFeed, false), ("/itunes/com.example.daily", dailyFeed, true),
    ]

    private static let feedDoor = FeedSnapshot(
        FeedDirectory(default: weeklyFeed, byID: [FuzzedTenant.id: dailyFeed]),
        clock: WallClock { FuzzedTenant.now })

    private static let dailyFeed = made("daily", apps: ["com.example.daily"])
    private static let weeklyFeed = made("weekly", apps: [])

    private static func made(_ name: String, apps: [String]) -> PublicationFeed {
        PublicationFeed(
            FeedSettings(title: name, id: name, content: ContentAddress("/content/\(name)/")!, newsstandApps: apps),
            catalogue: CurrentCatalogue(), verifier: nil, revocations: FuzzedTenant.revocations)
    }
}
