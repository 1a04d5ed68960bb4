/// What is sold, and who has access to it.
public struct AssetService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// An item, by its number.
    public func item(_ id: Int) async throws(InPlayerError) -> Asset {
        try await calls.model(Endpoint(.get, "items", merchant.uuid, String(id)))
    }

    /// An item that is somebody else's, by its type and identifier there.
    public func externalItem(type: String, id: String) async throws(InPlayerError) -> Asset {
        var endpoint = Endpoint(.get, "items", "assets", "external", type, id)
        endpoint.query.add("merchant_uuid", merchant.uuid)
        return try await calls.model(endpoint)
    }

    /// The prices of an item.
    ///
    /// - Parameter voucher: a voucher's number, for prices with its discount.
    public func accessFees(of item: Int, voucher: Int? = nil) async throws(InPlayerError) -> [AccessFee] {
        var endpoint = Endpoint(.get, "v2", "items", String(item), "access-fees")
        endpoint.query.add("expand[voucher]", voucher)
        let answer = try await calls.answer(endpoint)
        guard let fees = answer.entries else { throw .unreadable(status: 200, expected: "expected a list of prices") }
        return fees.compactMap { try? AccessFee($0) }
    }

    /// The access that whoever is signed in has to an item.
    ///
    /// - Parameter entry: one of several contents of the item.
    /// - Throws: ``InPlayerError/refused(_:)`` with ``InPlayerFault/isWithoutAccess`` where there is none.
    public func access(to item: Int, entry: String? = nil) async throws(InPlayerError) -> ItemAccess {
        var endpoint = Endpoint(.get, "items", String(item), "access", authorization: .required)
        endpoint.query.add("entry_id", entry)
        return try await calls.model(endpoint)
    }

    /// The same with nil for no access.
    public func accessIfAny(to item: Int, entry: String? = nil) async throws(InPlayerError) -> ItemAccess? {
        do throws(InPlayerError) {
            return try await access(to: item, entry: entry)
        } catch .refused(let fault) where fault.isWithoutAccess {
            return nil
        }
    }

    /// What whoever is signed in has bought.
    ///
    /// - Parameters:
    ///   - page: from 0.
    ///   - size: items of a page.
    ///   - type: such as `ppv`.
    public func accessHistory(
        _ status: HistoricAccess.Status = .all, page: Int = 0, size: Int = 20, type: String? = nil,
        customer: Int? = nil
    ) async throws(InPlayerError) -> Page<HistoricAccess> {
        var endpoint = Endpoint(.get, "items", "access", "customers", authorization: .required)
        endpoint.query.add("status", status.rawValue)
        endpoint.query.add("page", page)
        endpoint.query.add("size", size)
        endpoint.query.add("type", type)
        endpoint.query.add("customerID", customer)
        return try await calls.model(endpoint)
    }
}
