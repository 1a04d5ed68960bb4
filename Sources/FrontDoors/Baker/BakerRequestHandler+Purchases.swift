import Gatefold
import Hummingbird
import JSON

extension BakerRequestHandler {
    /// Returns the products that this installation may read. The client replaces its previous state with them, so
    /// there is no result if a backend cannot be queried.
    ///
    /// Source: Baker protocol, “Effect of the purchases response”.
    func purchases() async throws -> Response {
        guard let owner else { throw Self.noUser }
        let catalogue = try front.catalogue
        let subscription = try await front.authorizationService.subscription(of: owner, context)
        return JSONResponse.make(
            .ok,
            [
                "issues": .array(products(of: subscription, in: catalogue).map { .string($0) }),
                "subscribed": .boolean(subscription.state == .active),
            ])
    }

    /// Returns the product names, newest edition first. Editions that are not in the catalogue follow at the end,
    /// by their identifiers.
    private func products(of subscription: Subscription, in catalogue: Catalogue) -> [String] {
        switch subscription.state {
        case .unknown, .suspended, .stale: return []
        case .active, .inactive: break
        }
        switch subscription.entitlement {
        case .allEditions:
            guard subscription.state == .active else { return [] }
            return catalogue.offered(at: front.authorizationService.now).compactMap(\.storeProductID)
        case .editions(let held):
            let known = catalogue.editions.filter { held.contains($0.id) && !$0.isDraft }.compactMap(\.storeProductID)
            let unknown = held.filter { catalogue[$0] == nil }.sorted().map(\.rawValue)
            return known + unknown
        }
    }
}
