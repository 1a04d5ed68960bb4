import Commerce
import ContentGate
import Deliveries
import Foundation
import FrontDoors
import Gatefold
import Push

/// The serving state of one configuration. A reload replaces it as a whole.
struct ServingState: Sendable {
    let directory: PublicationDirectory
    let gate: Gate
    let backends: LiveBackendRegistry
    var stores = LiveStoreRegistry()
    /// The Cloud Softphone services, by path.
    var softphones: [String: SoftphoneService] = [:]
    var deliveries: [DeliveryPlan] = []
    var inPlayer = InPlayerDirectory()
    let clients: ClientAddressResolver
    var catalogues = LiveCatalogueRegistry()
    var feeds = FeedDirectory()
    /// The keys by which apps receive account notifications; empty if `notifications.endpoint` is not set.
    var notificationKeys: [PublicationID: NotificationKeyIssuer] = [:]
    /// The push settings of the publications that notify their apps of editions.
    var push: [PublicationID: PushSettings] = [:]

    /// The purchase services of the publications that sell in the app stores.
    var purchaseServices: [PurchaseService] { directory.byID.sorted { $0.key < $1.key }.compactMap(\.value.purchases) }

    /// Returns the purchase services of the publications that sell in the store.
    func purchaseServices(offeringProductsIn store: StoreName) -> [PurchaseService] {
        purchaseServices.filter { $0.stores.contains(store) }
    }
}
