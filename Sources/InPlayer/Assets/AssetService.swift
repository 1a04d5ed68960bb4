/// Operations on items: their details, prices and access.
public struct AssetService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// Returns an item by its number.
    public func item(_ id: Int) async throws(InPlayerError) -> Asset {
        try await calls.model(Endpoint(.get, "items", merchant.uuid, String(id)))
    }

    /// Returns an item of an external system, by its type and identifier in that system.
    public func externalItem(type: String, id: String) async throws(InPlayerError) -> Asset {
        var endpoint = Endpoint(.get, "items", "assets", "external", type, id)
        endpoint.query.add("merchant_uuid", merchant.uuid)
        return try await calls.model(endpoint)
    }

    /// Returns the prices of an item.
    ///
    /// - Parameters:
    ///   - item: The number of the item.
    ///   - voucher: The number of a voucher whose discount applies to the prices.
    public func accessFees(of item: Int, voucher: Int? = nil) async throws(InPlayerError) -> [AccessFee] {
        var endpoint = Endpoint(.get, "v2", "items", String(item), "access-fees")
        endpoint.query.add("expand[voucher]", voucher)
        let response = try await calls.response(endpoint)
        guard let fees = response.entries else { throw .unreadable(status: 200, expected: "expected a list of prices") }
        return fees.compactMap { try? AccessFee($0) }
    }

    /// Returns the signed-in reader's access to an item.
    ///
    /// - Parameters:
    ///   - item: The number of the item.
    ///   - entry: The identifier of one of several contents of the item.
    /// - Throws: ``InPlayerError/rejected(_:)`` with ``InPlayerFault/isWithoutAccess`` if there is no access.
    public func access(to item: Int, entry: String? = nil) async throws(InPlayerError) -> ItemAccess {
        var endpoint = Endpoint(.get, "items", String(item), "access", authorization: .required)
        endpoint.query.add("entry_id", entry)
        return try await calls.model(endpoint)
    }

    /// Returns the signed-in reader's access to an item, or nil if there is no access.
    public func accessIfAny(to item: Int, entry: String? = nil) async throws(InPlayerError) -> ItemAccess? {
        do throws(InPlayerError) {
            return try await access(to: item, entry: entry)
        } catch .rejected(let fault) where fault.isWithoutAccess {
            return nil
        }
    }

    /// Returns the purchases of the signed-in reader.
    ///
    /// - Parameters:
    ///   - status: Which purchases are returned. Default: all.
    ///   - page: The page number, counted from 0.
    ///   - size: The number of entries on a page.
    ///   - type: The type of access fee, such as `ppv`.
    ///   - customer: The identifier of another customer, or nil for the signed-in reader.
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
