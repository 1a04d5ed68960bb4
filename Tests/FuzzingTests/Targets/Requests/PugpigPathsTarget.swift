import Gatefold
import Server

@testable import FrontDoors

extension FuzzTarget {
    /// Two lines: a path, and a publication's name. What is read of a path is what was written there, and a call has no
    /// other spellings than its own: a cache in between may tell them apart (PITFALLS row 16).
    static let pugpigPaths = FuzzTarget(
        "pugpig-paths", upTo: 256, of: "PugpigCall", "PugpigReceiptCall", "PugpigFeedDoor"
    ) { bytes in
        let lines = lines(bytes, 2)
        let publication = PublicationID(lines[1])
        var calls = 0
        for call in PugpigCall.allCases {
            check(lines[0], publication, call.rawValue) { call.publication(in: $0) }
            let addressed = call.publication(in: lines[0])
            promise(call.publication(in: "\n\(lines[0])".dropFirst()) == addressed, "a part of a text is another path")
            if addressed != nil { calls += 1 }
        }
        for call in PugpigReceiptCall.allCases {
            check(lines[0], publication, "edition_credentials/\(call.rawValue)") { call.publication(in: $0) }
            if call.publication(in: lines[0]) != nil { calls += 1 }
        }
        promise(calls <= 1, "a path is two calls'")
        checkFeed(lines[0].utf8.first == 0x2F ? lines[0] : "/" + lines[0])
        checkFeed("/\(lines[1])/feed")
        checkFeed("/itunes/\(lines[1])")
    }

    private static func check(
        _ path: String, _ publication: PublicationID?, _ name: String, _ read: (String) -> PugpigCall.Addressed?
    ) {
        if let addressed = read(path) {
            let own = written(name, addressed)
            promise([own, own + "/"].contains { $0.utf8.elementsEqual(path.utf8) }, "a path has another spelling")
        }
        var places = [PugpigCall.Addressed.theDefault]
        if let publication { places.append(.named(publication)) }
        for addressed in places {
            let path = written(name, addressed)
            promise([path, path + "/"].allSatisfy { read($0) == addressed }, "what was written is not read")
            promise([path + "//", "/" + path, path + "?"].allSatisfy { read($0) == nil }, "a path has more spellings")
        }
    }

    private static func written(_ name: String, _ addressed: PugpigCall.Addressed) -> String {
        switch addressed {
        case .theDefault: "/\(name)"
        case .named(let publication): "/\(publication)/\(name)"
        }
    }

    private static func checkFeed(_ path: String) {
        let found = feedDoor.feed(at: path)
        let expected = feedPlaces.first { $0.path.utf8.elementsEqual(path.utf8) }
        promise(
            found?.0 === expected?.feed && found?.isNewsstand == expected?.isNewsstand,
            "a path has another publication's feed, or none")
    }

    /// Every path of a feed, and whose it is.
    private static let feedPlaces: [(path: String, feed: PublicationFeed, isNewsstand: Bool)] = [
        ("/feed", weeklyFeed, false), ("/feed.xml", weeklyFeed, false), ("/daily/feed", dailyFeed, false),
        ("/daily/feed.xml", dailyFeed, false), ("/itunes/com.example.daily", dailyFeed, true),
    ]

    private static let feedDoor = PugpigFeedDoor<GatefoldRequestContext>(
        feeds: { FeedDirectory(default: weeklyFeed, byID: [FuzzedTenant.id: dailyFeed]) },
        clock: WallClock { FuzzedTenant.now })

    private static let dailyFeed = made("daily", apps: ["com.example.daily"])
    private static let weeklyFeed = made("weekly", apps: [])

    private static func made(_ name: String, apps: [String]) -> PublicationFeed {
        PublicationFeed(
            FeedSettings(title: name, id: name, content: ContentAddress("/content/\(name)/")!, newsstandApps: apps),
            catalogue: CurrentCatalogue(), verifier: nil, revocations: FuzzedTenant.revocations)
    }
}
