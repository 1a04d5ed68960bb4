import Foundation
import Gatefold
import HTTPTypes
import Primitives

@testable import ContentGate

extension FuzzTarget {
    /// A request target without credentials and with those of readers of two editions (Pitfall 2): the edition in the
    /// rule's decision is the edition of the served path.
    static let gate = FuzzTarget(
        "gate", upTo: 512, of: "NormalisedPath", "PathSegment", "PathPattern", "ContentLayout", "Gate", "ContentName"
    ) { bytes in
        if let path = try? NormalisedPath(target: bytes) {
            let again = try? NormalisedPath(target: path.percentEncoded)
            promise(again == path, "a path does not round-trip")
            for segment in path.segments {
                promise(
                    !segment.isEmpty && segment != "." && segment != ".." && !segment.utf8.contains(0x2F)
                        && !segment.utf8.contains(0), "a segment contains more than one name")
            }
        }
        let target = text(bytes)
        if ContentName.fault(of: target) == nil {
            let escaped = "/" + target.utf8.map { "%" + Hexadecimal.encode([$0]) }.joined()
            let segments = (try? NormalisedPath(target: escaped))?.segments
            promise(segments == [target], "a file has a name that no request can address")
        }
        let nobody = evaluate(target, nil)
        if let nobody {
            promise([.open, .free].contains(nobody.reason), "protected content was served without credentials")
        }
        for (edition, header) in headers {
            guard let content = evaluate(target, header) else { continue }
            promise(
                content.path.segments.starts(with: ["content", "daily"]),
                "content outside the requested path was served")
            switch content.reason {
            case .open, .free: promise(nobody == content, "public content differs for a reader")
            case .credentials:
                promise(content.edition == edition, "another edition was opened")
                promise(served(content) == edition.rawValue, "a file of another edition was served")
            case .resumption, .feed: promise(false, "a feed or resumption result without such a request")
            }
        }
        if let pattern = PathPattern(target) { _ = pattern.matches(["ed-1", "cover.jpg"], endsWithSlash: false) }
    }

    /// A request's query, where publications accept download tokens.
    static let downloadToken = FuzzTarget("download-token", upTo: 512, of: "DownloadToken") { bytes in
        let query = text(bytes)
        for value in DownloadToken.offered(in: "/x?" + query) {
            guard let downloadToken = DownloadToken(value) else { continue }
            promise(
                DownloadToken(downloadToken.text.utf8) == downloadToken, "a download token does not round-trip"
            )
        }
        guard let content = evaluate("/content/daily/ed-1.zip?" + query, nil) else { return }
        promise(
            content.edition == FuzzedTenant.edition && content.reason == .credentials,
            "a download token opened more than its edition")
        let genuine = pairs.filter { $0.0 == FuzzedTenant.edition }.map { "ticket=" + DownloadToken($0.1).text }
        let given = query.utf8.split { "&#".utf8.contains($0) }
        promise(
            genuine.contains { one in given.contains { $0.elementsEqual(one.utf8) } },
            "a download token was accepted that was not issued")
    }

    static let basicCredentials = FuzzTarget("basic-credentials", upTo: 256, of: "BasicCredentials") { bytes in
        guard let pair = BasicCredentials(bytes: bytes) else { return }
        promise(!pair.userid.utf8.contains(UInt8(ascii: ":")), "the first colon did not separate user and password")
        var encoded = text(Array(bytes.drop { $0 != 0x20 }.drop { $0 == 0x20 }))
        encoded += String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
        promise(
            Data(base64Encoded: encoded) == Data("\(pair.userid):\(pair.password)".utf8),
            "an independent decoder returns other credentials")
    }

    private static func evaluate(_ target: String, _ header: String?) -> AllowedContent? {
        let request = GateRequest(
            method: .get, target: target, authorization: header.map { [$0] } ?? [], isResume: false)
        if case .allowed(let content) = theGate.evaluate(request) { return content }
        return nil
    }

    /// Returns the edition of the served path alone: its first segment without an archive's extension.
    private static func served(_ content: AllowedContent) -> String {
        let first = content.relativeSegments.first ?? ""
        if content.relativeSegments.joined(separator: "/") == "2026/May Issue.hpub" { return "ed-1" }
        guard content.relativeSegments.count == 1, !content.path.endsWithSlash else { return first }
        for ending in [".zip", ".pugpigpkg", ".hpub"] where first.hasSuffix(ending) {
            return String(first.dropLast(ending.count))
        }
        return first
    }

    private static let headers = [FuzzedTenant.edition, FuzzedTenant.other].map { edition in
        (edition, FuzzedTenant.basic(FuzzedTenant.pair(edition, .sealed)))
    }

    private static let theGate = ready {
        try Gate(
            [
                GatePublication(
                    id: FuzzedTenant.id,
                    layout: ContentLayout(
                        prefix: "/content/daily/", openPatterns: ["covers/**", "*/cover.jpg"],
                        feedPatterns: ["feed.xml"]),
                    verifier: FuzzedTenant.verifier, feedVerifier: FuzzedTenant.feedVerifier,
                    revocations: FuzzedTenant.revocations,
                    catalogue: CurrentCatalogue(
                        Catalogue([
                            Edition(id: EditionID("ed-free")!, title: "Free", published: .distantPast, isFree: true),
                            Edition(
                                id: FuzzedTenant.edition, title: "One", published: .distantPast,
                                file: "2026/May Issue.hpub"),
                        ])), acceptsDownloadTokens: true)
            ], clock: WallClock { FuzzedTenant.now })
    }
}
