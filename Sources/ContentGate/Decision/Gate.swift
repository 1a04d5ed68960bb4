import Foundation
public import Gatefold
import HTTPTypes

/// Decides which content a request may have. Pure: no I/O, and the same request at the same moment has the same answer.
public struct Gate: Sendable {
    /// The longest prefix first, so that the first that covers a path is the one.
    private let publications: [GatePublication]
    private let clock: WallClock

    /// - Throws: ``GateError/samePrefix(_:)`` when two layouts would claim the same paths.
    public init(_ publications: [GatePublication], clock: WallClock) throws(GateError) {
        var prefixes: Set<String> = []
        for publication in publications where !prefixes.insert(publication.layout.prefix).inserted {
            throw .samePrefix(publication.layout.prefix)
        }
        self.publications = publications.sorted {
            $0.layout.prefixSegments.count > $1.layout.prefixSegments.count
        }
        self.clock = clock
    }

    /// The only decision there is; every carrier asks it.
    public func decide(_ request: GateRequest) -> GateDecision {
        guard request.method == .get || request.method == .head else { return .refused(GateRefusal(.method)) }
        guard request.authorization.count <= 1 else { return .refused(GateRefusal(.severalAuthorizations)) }
        let path: NormalisedPath
        do {
            path = try NormalisedPath(target: request.target)
        } catch {
            return .refused(GateRefusal(.path(error)))
        }
        guard let publication = publication(of: path) else { return .refused(GateRefusal(.unknownPrefix)) }
        let tickets = publication.acceptsTickets ? Ticket.offered(in: request.target) : []
        guard tickets.count + request.authorization.count <= 1 else {
            return .refused(GateRefusal(.severalCredentials, publication: publication.id))
        }
        return Question(
            publication: publication, path: path, request: request, ticket: tickets.first, moment: clock.now
        ).answer()
    }

    /// What decisions on this target depend on besides the question and the time; to be taken before one is made.
    package func standing(forTarget target: String) -> Standing {
        guard let path = try? NormalisedPath(target: target), let publication = publication(of: path) else {
            return Standing()
        }
        return Standing([publication.revocations.changes.mark, publication.catalogue.changes.mark])
    }

    /// Whether the path lies below a publication's prefix.
    public func covers(_ path: NormalisedPath) -> Bool { publication(of: path) != nil }

    /// Whether the gate has to answer for this target: it lies below a prefix, or begins like one and can not be read.
    public func claims(target: String) -> Bool {
        guard let path = try? NormalisedPath(target: target) else {
            return publications.contains { target.utf8.starts(with: $0.layout.prefix.utf8) }
        }
        return covers(path)
    }

    private func publication(of path: NormalisedPath) -> GatePublication? {
        publications.first { $0.layout.covers(path) }
    }
}

/// What is wrong with a gate's publications.
public enum GateError: Error, Equatable, Sendable, CustomStringConvertible {
    case samePrefix(String)

    public var description: String {
        switch self {
        case .samePrefix(let prefix): "content prefix \"\(prefix)\": expected to be used by one publication only"
        }
    }
}

/// One request within one publication.
private struct Question {
    let publication: GatePublication
    let path: NormalisedPath
    let request: GateRequest
    /// Nil also where the publication takes none.
    let ticket: Substring.UTF8View?
    let moment: Date

    func answer() -> GateDecision {
        let layout = publication.layout
        let relative = layout.relative(path)
        let isNamed = { (pattern: PathPattern) in pattern.matches(relative, endsWithSlash: path.endsWithSlash) }
        if layout.openPatterns.contains(where: isNamed) { return allowed(.open, nil, nil) }
        if layout.feedPatterns.contains(where: isNamed) { return answerForFeed() }
        let catalogue = publication.catalogue.value
        guard let edition = edition(at: relative, by: catalogue) else { return refused(.noEdition, nil) }
        if catalogue.isFree(edition, at: moment) { return allowed(.free, edition, nil) }
        return answer(for: edition)
    }

    /// What the catalogue says of a file goes before what its path says: an archive can lie anywhere.
    private func edition(at relative: ArraySlice<String>, by catalogue: Catalogue) -> EditionID? {
        if !path.endsWithSlash, let edition = catalogue.edition(whoseFileIs: relative.joined(separator: "/")) {
            return edition
        }
        return publication.layout.edition(of: path)
    }

    private func answer(for edition: EditionID) -> GateDecision {
        let pair: EditionCredentials
        if let value = request.authorization.first {
            guard let basic = BasicCredentials(value) else { return refused(.malformedCredentials, edition) }
            pair = EditionCredentials(userid: basic.userid, password: basic.password)
        } else if let ticket {
            guard let ticket = Ticket(ticket) else { return refused(.malformedCredentials, edition) }
            pair = ticket.credentials
        } else {
            return refused(.missingCredentials, edition)
        }
        let verdict = publication.verifier.verify(
            pair, for: edition, at: moment,
            revocations: publication.revocations)
        switch verdict {
        case .accepted(let holder): return allowed(.credentials, edition, holder)
        case .expiredButResumable(let holder):
            return request.isResume ? allowed(.resumption, edition, holder) : refused(.expired, edition, holder)
        case .expired(let holder): return refused(.expired, edition, holder)
        case .revoked(let holder): return refused(.revoked, edition, holder)
        case .wrongPassword: return refused(.wrongPassword, edition)
        case .unsealed: return refused(.unsealedSalt, edition)
        case .malformed: return refused(.malformedCredentials, edition)
        }
    }

    private func answerForFeed() -> GateDecision {
        guard let value = request.authorization.first else { return refused(.missingCredentials, nil) }
        guard let pair = BasicCredentials(value) else { return refused(.malformedCredentials, nil) }
        let holder = publication.feedVerifier?.verify(
            token: pair.userid, password: pair.password, at: moment, revocations: publication.revocations)
        guard let holder else { return refused(.feedCredentials, nil) }
        return allowed(.feed, nil, holder)
    }

    private func allowed(
        _ reason: AllowedContent.Reason, _ edition: EditionID?, _ holder: SaltHolder?
    ) -> GateDecision {
        .allowed(
            AllowedContent(
                publication: publication.id, path: path, relativeSegments: Array(publication.layout.relative(path)),
                root: publication.layout.root, edition: edition, subscriber: holder?.subscriber, reason: reason))
    }

    private func refused(
        _ reason: GateRefusal.Reason, _ edition: EditionID?, _ holder: SaltHolder? = nil
    ) -> GateDecision {
        .refused(
            GateRefusal(reason, publication: publication.id, edition: edition, subscriber: holder?.subscriber))
    }
}
