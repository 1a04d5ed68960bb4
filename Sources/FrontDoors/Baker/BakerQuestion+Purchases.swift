import Gatefold
import Hummingbird
import JSON

extension BakerQuestion {
    /// What this installation may read, as the products that stores sell it by. What the client gets here replaces what it
    /// believed before (PROTOCOLS 2.3), so when anybody who knows can not be asked there is no answer.
    func purchases() async throws -> Response {
        guard let owner else { return Self.noUser }
        let catalogue = try front.catalogue
        let subscription = try await front.proxy.subscription(of: owner, inquiry)
        return JSONAnswer.make(
            .ok,
            [
                "issues": .array(products(of: subscription, in: catalogue).map { .string($0) }),
                "subscribed": .boolean(subscription.state == .active),
            ])
    }

    /// Newest edition first; those that the catalogue does not know, by their identifiers, at the end.
    private func products(of subscription: Subscription, in catalogue: Catalogue) -> [String] {
        switch subscription.state {
        case .unknown, .suspended, .stale: return []
        case .active, .inactive: break
        }
        switch subscription.entitlement {
        case .allEditions:
            guard subscription.state == .active else { return [] }
            return catalogue.offered(at: front.proxy.now).compactMap(\.soldAs)
        case .editions(let held):
            let known = catalogue.editions.filter { held.contains($0.id) && !$0.isDraft }.compactMap(\.soldAs)
            let unknown = held.filter { catalogue[$0] == nil }.sorted().map(\.rawValue)
            return known + unknown
        }
    }
}
