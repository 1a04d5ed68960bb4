import Backends
import FrontDoors
import Gatefold
import Hummingbird

/// `POST /backends/NAME/flush`: forgets what is remembered about one reader, or with `all=true` about everybody.
enum FlushRequest {
    static func answer(
        _ request: Request, _ name: String, _ backends: BackendAdministration
    ) async throws -> (HTTPResponse.Status, String) {
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request)
        } catch let refusal as RequestRefusal {
            return (refusal.status, refusal.text + "\n")
        }
        guard let target = target(fields) else {
            return (.badRequest, "expected one of the fields identifier, key, reference, or all=true\n")
        }
        guard let forgotten = backends.flush(name, target) else { return (.notFound, "there is no such backend\n") }
        return (.ok, "\(forgotten) answers forgotten\n")
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
