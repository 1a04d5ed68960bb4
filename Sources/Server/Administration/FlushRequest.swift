import Backends
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird

/// `POST /backends/NAME/flush` with one field in the body: forgets what is remembered about one reader, or with
/// `all=true` about everybody.
enum FlushRequest {
    static func answer(
        _ request: Request, _ name: String, _ backends: BackendAdministration
    ) async throws -> (HTTPResponse.Status, String) {
        guard !isFromPage(request) else { return (.forbidden, "a page in a browser flushes nothing\n") }
        guard request.uri.query == nil else { return (.badRequest, "expected the field in the body\n") }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request)
        } catch let refusal as RequestRefusal {
            return (refusal.status, refusal.text + "\n")
        }
        guard let target = target(fields) else {
            return (.badRequest, "expected one of the fields identifier, key, reference, or all=true\n")
        }
        guard let (forgotten, kept) = backends.flush(name, target) else {
            return (.notFound, "there is no such backend\n")
        }
        // A token's subscriber is known by key, and by what they signed in with only as long as that is remembered.
        guard case .identifier = target, forgotten == 0, kept > 0 else {
            return (.ok, "\(forgotten) answers forgotten\n")
        }
        return (.ok, "0 answers forgotten; an identifier finds remembered sign-ins only: try --key or --reference\n")
    }

    /// Whether a browser sent it for some page: an operator who visits one must not have it empty the memories of a listener
    /// that trusts whoever reaches it. Browsers say so with every form and script (Fetch, section "Origin header"; Fetch
    /// Metadata, section 2); the command does not.
    private static func isFromPage(_ request: Request) -> Bool {
        ["Origin", "Sec-Fetch-Site"].compactMap { HTTPField.Name($0) }.contains { request.headers[$0] != nil }
    }

    /// Nil unless exactly one is said, so that a slip does not forget everybody.
    private static func target(_ fields: [String: String]) -> FlushTarget? {
        guard fields.count == 1, let (name, value) = fields.first, !value.isEmpty else { return nil }
        return switch name {
        case "identifier": .identifier(value)
        case "key": .key(value)
        case "reference": SubscriberReference(value).map { .reference($0) }
        case "all": value == "true" ? .all : nil
        default: nil
        }
    }
}
