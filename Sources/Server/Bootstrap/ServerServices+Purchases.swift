import Backends
import Commerce
import Deliveries
import Gatefold
import Primitives

/// The parts that a publication needs for its sales.
extension ServerServices {
    /// Returns the delivery plan for purchases of a publication.
    func delivery(of id: PublicationID, by settings: DeliverySettings) throws(BootstrapError) -> DeliveryPlan {
        do {
            let transport = try settings.open(
                clock: services.clock, random: services.random,
                breakerChanged: { [reporter = EventReporter()] in reporter.report(DeliveryEvent.breakerChanged(id, $0))
                })
            return DeliveryPlan(publication: id, transport: transport, retryPolicy: settings.retryPolicy)
        } catch {
            throw .deliveries(publication: id, cause: "\(error)")
        }
    }

    /// Returns the purchase service of a publication, or nil if the publication sells in no store.
    func purchaseService(
        of publication: PublicationConfiguration, _ plan: StorePlan, _ stores: LiveStoreRegistry
    ) throws(BootstrapError) -> PurchaseService? {
        guard let purchases = publication.purchases else { return nil }
        let id = publication.publication.id
        let reporter = EventReporter(publication: id)
        return PurchaseService(
            publication: id, products: purchases.products,
            environments: try plan.environments(for: purchases, of: id, isTest: publication.isTest),
            claims: purchases.claims, limits: purchases.limits, times: purchases.times,
            verifiers: purchases.stores.compactMap { stores[$0] }, ledger: state, clock: services.clock,
            observe: { [deliverySignal] event in
                reporter.report(event)
                if case .verified = event { deliverySignal.signal() }
            },
            didChange: { [purchaseEventRelay, timeline] change in
                timeline?.record(change, of: id)
                purchaseEventRelay.notify(change, of: id)
            })
    }
}
