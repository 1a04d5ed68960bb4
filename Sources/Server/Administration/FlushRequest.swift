import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Resilience

/// The handler of `POST /backends/NAME/flush`. One field in the body selects the reader whose cached results are
/// removed; `all=true` removes all results.
enum FlushRequest {
    static func respond(
        _ request: Request, _ name: String, _ backends: BackendAdministration, _ audit: FlushAudit?
    ) async throws -> (HTTPResponse.Status, String) {
        guard !isFromPage(request) else { return (.forbidden, "requests from a web page are not accepted\n") }
        guard request.uri.query == nil else { return (.badRequest, "expected the field in the body\n") }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request)
        } catch let rejection as RequestRejection {
            return (rejection.status, rejection.text + "\n")
        }
        guard let target = target(fields) else {
            return (.badRequest, "expected one of the fields identifier, key, pseudonym, or all=true\n")
        }
        let family = backends.family(of: name)
        guard !family.isEmpty else { return (.notFound, "no such backend\n") }
        let flushed: (removed: Int, remaining: Int)?
        if let audit {
            guard audit.admits() else {
                return (.tooManyRequests, "expected at most \(FlushAudit.maxPerMinute) flushes per minute\n")
            }
            flushed = await audit.flushing(target, of: family) { backends.flush(name, target) }
        } else {
            flushed = backends.flush(name, target)
        }
        guard let (removed, remaining) = flushed else { return (.notFound, "no such backend\n") }
        // A token identifies its subscriber by key. The sign-in identifier is known only while the sign-in is
        // cached.
        guard case .identifier = target, removed == 0, remaining > 0 else {
            return (.ok, "\(removed) results flushed\n")
        }
        return (.ok, "0 results flushed; an identifier matches cached sign-ins only: try --key or --pseudonym\n")
    }

    /// Returns a Boolean value that indicates whether a page in a browser sent the request. Such requests are
    /// rejected, because a page that an operator visits must not clear the caches through a listener that trusts
    /// every client. Browsers mark every form and script request (Fetch, section "Origin header"; Fetch Metadata,
    /// section 2); the command does not.
    private static func isFromPage(_ request: Request) -> Bool {
        ["Origin", "Sec-Fetch-Site"].compactMap { HTTPField.Name($0) }.contains { request.headers[$0] != nil }
    }

    /// Returns the target, or nil unless the request has exactly one field, so that a mistake does not clear all
    /// results.
    private static func target(_ fields: [String: String]) -> FlushTarget? {
        guard fields.count == 1, let (name, value) = fields.first, !value.isEmpty else { return nil }
        return switch name {
        case "identifier": .identifier(value)
        case "key": .key(value)
        case "pseudonym": SubscriberPseudonym(value).map { .reference($0) }
        case "all": value == "true" ? .all : nil
        default: nil
        }
    }
}
