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
    var backends: LiveBackendRegistry
    /// The configuration; nil if the state was made without one.
    var configuration: GatefoldConfiguration?
    var stores = LiveStoreRegistry()
    var deliveries: [DeliveryPlan] = []
    /// The snapshots of the front doors, in their order of precedence.
    var frontDoors: [any FrontDoorSnapshot] = []
    let clients: ClientAddressResolver
    var catalogues = LiveCatalogueRegistry()
    /// The push settings of the publications that notify their apps of editions.
    var push: [PublicationID: PushSettings] = [:]

    /// The purchase services of the publications that sell in the app stores.
    var purchaseServices: [PurchaseService] { directory.byID.sorted { $0.key < $1.key }.compactMap(\.value.purchases) }
}
