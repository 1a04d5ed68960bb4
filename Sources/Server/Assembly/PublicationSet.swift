import ContentGate
import Deliveries
import Foundation
import FrontDoors
import Gatefold
import Push

/// What one configuration serves: replaced as a whole when the configuration is read again.
struct PublicationSet: Sendable {
    let directory: PublicationDirectory
    let gate: Gate
    let backends: OpenBackends
    var stores = OpenStores()
    /// By their paths.
    var softphones: [String: SoftphoneService] = [:]
    var deliveries: [DeliveryPlan] = []
    var inPlayer = InPlayerDirectory()
    let clients: ClientAddressResolver
    var catalogues = OpenCatalogues()
    var feeds = FeedDirectory()
    /// By which apps hear what concerns their accounts; none where `notifications.endpoint` is not set.
    var noticeKeys: [PublicationID: NoticeKeys] = [:]
    /// Of the publications whose apps are told of editions.
    var push: [PublicationID: PushSettings] = [:]

    /// Of the publications that sell in the app stores.
    var desks: [PurchaseDesk] { directory.byID.sorted { $0.key < $1.key }.compactMap(\.value.purchases) }

    /// Of the publications that sell in this one.
    func desks(sellingIn store: StoreName) -> [PurchaseDesk] { desks.filter { $0.stores.contains(store) } }
}
