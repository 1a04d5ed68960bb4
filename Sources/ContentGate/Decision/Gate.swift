import Foundation
import Gatefold
import HTTPTypes
public import Primitives

/// A gate that decides which content a request may have.
///
/// The gate is pure: it does no I/O, and the same request at the same time has the same result.
public struct Gate: Sendable {
    /// The publications, longest prefix first, so that the first publication that covers a path is the right one.
    private let publications: [GatePublication]
    /// The first segment of each prefix, or `nil` if a prefix covers every path.
    private let firstSegments: [[UInt8]]?
    private let clock: WallClock

    /// - Throws: ``GateError/samePrefix(_:)`` if two layouts claim the same paths.
    public init(_ publications: [GatePublication], clock: WallClock) throws(GateError) {
        var prefixes: Set<String> = []
        for publication in publications where !prefixes.insert(publication.layout.prefix).inserted {
            throw .samePrefix(publication.layout.prefix)
        }
        self.publications = publications.sorted {
            $0.layout.prefixSegments.count > $1.layout.prefixSegments.count
        }
        let firstSegments = publications.map { $0.layout.prefixSegments.first.map { Array($0.utf8) } }
        self.firstSegments = firstSegments.contains(nil) ? nil : firstSegments.compactMap(\.self)
        self.clock = clock
    }

    /// Decides about a request. Every entry point uses this decision.
    public func evaluate(_ request: GateRequest) -> GateDecision {
        guard request.method == .get || request.method == .head else { return .denied(GateDenial(.method)) }
        guard request.authorization.count <= 1 else { return .denied(GateDenial(.severalAuthorizations)) }
        let path: NormalisedPath
        do {
            path = try NormalisedPath(target: request.target)
        } catch {
            return .denied(GateDenial(.path(error)))
        }
        guard let publication = publication(of: path) else { return .denied(GateDenial(.unknownPrefix)) }
        let downloadTokens = publication.acceptsDownloadTokens ? DownloadToken.offered(in: request.target) : []
        guard downloadTokens.count + request.authorization.count <= 1 else {
            return .denied(GateDenial(.severalCredentials, publication: publication.id))
        }
        return Evaluation(
            publication: publication, path: path, request: request, downloadToken: downloadTokens.first,
            timestamp: clock.now
        ).decision()
    }

    /// Returns whether the path lies below a publication's prefix.
    public func covers(_ path: NormalisedPath) -> Bool { publication(of: path) != nil }

    /// Returns whether the gate is responsible for this target.
    ///
    /// The gate is responsible if the target lies below a prefix, or begins like a prefix and cannot be parsed.
    public func claims(target: String) -> Bool {
        if isElsewhere(target) { return false }
        guard let path = try? NormalisedPath(target: target) else {
            return publications.contains { target.utf8.starts(with: $0.layout.prefix.utf8) }
        }
        return covers(path)
    }

    /// Returns whether the first segment of a target has one possible meaning and is not that of a prefix. Most calls
    /// need no more than this.
    private func isElsewhere(_ target: String) -> Bool {
        guard let firstSegments else { return false }
        var target = target
        return target.withUTF8 { target in
            guard target.first == UInt8(ascii: "/") else { return false }
            let segment = target.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard !segment.isEmpty, segment.allSatisfy(Self.isPlain) else { return false }
            return !firstSegments.contains { $0.count == segment.count && $0.elementsEqual(segment) }
        }
    }

    /// Returns whether a byte is a character that no server escapes or normalises.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private func publication(of path: NormalisedPath) -> GatePublication? {
        publications.first { $0.layout.covers(path) }
    }
}

/// An error in the configuration of a gate's publications.
public enum GateError: Error, Equatable, Sendable, CustomStringConvertible {
    case samePrefix(String)

    public var description: String {
        switch self {
        case .samePrefix(let prefix): "content prefix \"\(prefix)\": expected to be used by one publication only"
        }
    }
}

/// One request within one publication.
private struct Evaluation {
    let publication: GatePublication
    let path: NormalisedPath
    let request: GateRequest
    /// The ticket of the request, or `nil` if the request has none or the publication accepts none.
    let downloadToken: Substring.UTF8View?
    let timestamp: Date

    func decision() -> GateDecision {
        let layout = publication.layout
        let relative = layout.relative(path)
        let isNamed = { (pattern: PathPattern) in pattern.matches(relative, endsWithSlash: path.endsWithSlash) }
        if layout.openPatterns.contains(where: isNamed) { return allowed(.open, nil, nil) }
        if layout.feedPatterns.contains(where: isNamed) { return feedDecision() }
        let catalogue = publication.catalogue.value
        guard let edition = edition(at: relative, by: catalogue) else { return denied(.noEdition, nil) }
        if catalogue.isFree(edition, at: timestamp) { return allowed(.free, edition, nil) }
        return decision(for: edition)
    }

    /// Returns the edition of a file. The catalogue takes precedence over the path, because an archive can lie
    /// anywhere.
    private func edition(at relative: ArraySlice<String>, by catalogue: Catalogue) -> EditionID? {
        if !path.endsWithSlash, let edition = catalogue.edition(forFile: relative.joined(separator: "/")) {
            return edition
        }
        return publication.layout.edition(of: path)
    }

    private func decision(for edition: EditionID) -> GateDecision {
        let pair: EditionCredentials
        if let value = request.authorization.first {
            guard let basic = BasicCredentials(value) else { return denied(.malformedCredentials, edition) }
            pair = EditionCredentials(userid: basic.userid, password: basic.password)
        } else if let downloadToken {
            guard let downloadToken = DownloadToken(downloadToken) else {
                return denied(.malformedCredentials, edition)
            }
            pair = downloadToken.credentials
        } else {
            return denied(.missingCredentials, edition)
        }
        let verdict = publication.verifier.verify(
            pair, for: edition, at: timestamp,
            revocations: publication.revocations)
        switch verdict {
        case .accepted(let subject): return allowed(.credentials, edition, subject)
        case .expiredButResumable(let subject):
            return request.isResume ? allowed(.resumption, edition, subject) : denied(.expired, edition, subject)
        case .expired(let subject): return denied(.expired, edition, subject)
        case .revoked(let subject): return denied(.revoked, edition, subject)
        case .wrongPassword: return denied(.wrongPassword, edition)
        case .unsealed: return denied(.unsealedSalt, edition)
        case .malformed: return denied(.malformedCredentials, edition)
        }
    }

    private func feedDecision() -> GateDecision {
        guard let value = request.authorization.first else { return denied(.missingCredentials, nil) }
        guard let pair = BasicCredentials(value) else { return denied(.malformedCredentials, nil) }
        let subject = publication.feedVerifier?.verify(
            token: pair.userid, password: pair.password, at: timestamp, revocations: publication.revocations)
        guard let subject else { return denied(.feedCredentials, nil) }
        return allowed(.feed, nil, subject)
    }

    private func allowed(
        _ reason: AllowedContent.Reason, _ edition: EditionID?, _ subject: SaltSubject?
    ) -> GateDecision {
        .allowed(
            AllowedContent(
                publication: publication.id, path: path, relativeSegments: Array(publication.layout.relative(path)),
                root: publication.layout.root, edition: edition, subscriber: subject?.subscriber, reason: reason))
    }

    private func denied(
        _ reason: GateDenial.Reason, _ edition: EditionID?, _ subject: SaltSubject? = nil
    ) -> GateDecision {
        .denied(
            GateDenial(reason, publication: publication.id, edition: edition, subscriber: subject?.subscriber))
    }
}
