import Backends
import Deliveries
import Gatefold
import Protections

/// What a publication's sales need of them.
extension LastingParts {
    /// Who delivers what a publication sold.
    func delivery(of id: PublicationID, by settings: DeliverySettings) throws(AssemblyError) -> DeliveryPlan {
        do {
            let carrier = try settings.open(
                clock: services.clock, random: services.random,
                breakerChanged: { DeliveryEventReporter.report($0, of: id) })
            return DeliveryPlan(publication: id, carrier: carrier, pace: settings.pace)
        } catch {
            throw .deliveries(publication: id, cause: "\(error)")
        }
    }

    /// Where a publication's readers have their purchases; nil where it sells in no store.
    func desk(
        of publication: PublicationConfiguration, _ plan: StorePlan, _ stores: OpenStores
    ) throws(AssemblyError) -> PurchaseDesk? {
        guard let purchases = publication.purchases else { return nil }
        let id = publication.publication.id
        let reporter = PurchaseEventReporter(publication: id)
        return PurchaseDesk(
            publication: id, products: purchases.products,
            environments: try plan.environments(for: purchases, of: id, isTest: publication.isTest),
            claims: purchases.claims, limits: purchases.limits, times: purchases.times,
            verifiers: purchases.stores.compactMap { stores[$0] }, ledger: state, clock: services.clock,
            observe: { [deliveryBell] event in
                reporter.report(event)
                if case .proven = event { deliveryBell.ring() }
            }, didChange: { [purchaseNews] in purchaseNews.tell($0, of: id) })
    }
}
