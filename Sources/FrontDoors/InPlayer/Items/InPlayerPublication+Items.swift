import Accounts
import Commerce
import Gatefold

extension InPlayerPublication {
    /// Returns the items of the current catalogue.
    ///
    /// - Throws: ``Unavailable`` until the catalogue is loaded.
    func itemCatalogue() throws(Unavailable) -> ItemCatalogue {
        let version = authorizationService.publication.rule.currentCatalogue.version
        if version.catalogue.isPending { throw .catalogueNotLoaded }
        return itemCatalogues.itemCatalogue(of: version) {
            ItemCatalogue(settings, catalogue: $0, rules: authorizationService.purchases?.products ?? ProductRules())
        }
    }

    /// Returns the item of a number, or `nil` if the number has none or its edition is not published yet.
    ///
    /// - Throws: ``Unavailable``.
    func item(numbered number: Int64) async throws -> InPlayerItem? {
        let itemCatalogue = try itemCatalogue()
        var sold = itemCatalogue.sold(numbered: number)
        if sold.isEmpty, let given = try await accounts.item(numbered: number) { sold = [given] }
        return item(sold, numbered: number, on: itemCatalogue)
    }

    /// Returns the item of a store product's name, or of an edition's name.
    ///
    /// - Throws: ``Unavailable``.
    func item(named name: String) async throws -> InPlayerItem? {
        let itemCatalogue = try itemCatalogue()
        let edition = EditionID(name).flatMap { itemCatalogue.catalogue[$0] }.map { SaleItem.edition($0.id) }
        guard let sold = edition ?? itemCatalogue.sold(as: name), isListed(sold, on: itemCatalogue),
            let number = try await numbers(of: [sold])[sold]
        else { return nil }
        return try await item(numbered: number)
    }

    /// Returns whether an item may receive a number of its own. The check prevents clients from storing any number
    /// of names.
    private func isListed(_ sold: SaleItem, on itemCatalogue: ItemCatalogue) -> Bool {
        switch sold {
        case .edition(let edition):
            itemCatalogue.number(of: sold) != nil
                || itemCatalogue.catalogue[edition] != nil
                    && itemCatalogue.catalogue.isPublished(edition, at: authorizationService.now)
        case .subscription: itemCatalogue.number(of: sold) != nil || itemCatalogue.subscriptions.contains(sold)
        }
    }

    /// Returns the numbers of the reader's items, and assigns the missing ones.
    ///
    /// - Throws: ``Unavailable``.
    func numbers(of all: [SaleItem]) async throws -> [SaleItem: Int64] {
        let itemCatalogue = try itemCatalogue()
        var numbers: [SaleItem: Int64] = [:]
        var without: [SaleItem] = []
        for sold in all {
            if let number = itemCatalogue.number(of: sold) { numbers[sold] = number } else { without.append(sold) }
        }
        return numbers.merging(try await accounts.numbers(of: without)) { first, _ in first }
    }

    func item(_ sold: [SaleItem], numbered number: Int64, on itemCatalogue: ItemCatalogue) -> InPlayerItem? {
        guard let first = sold.first else { return nil }
        let edition: Edition?
        let kind: InPlayerItem.Kind
        switch first {
        case .edition(let id):
            guard itemCatalogue.catalogue.mayContain(id),
                itemCatalogue.catalogue.isPublished(id, at: authorizationService.now)
            else { return nil }
            (edition, kind) = (itemCatalogue.catalogue[id], .edition(id))
        case .subscription(let product):
            guard authorizationService.purchases?.products.subscription(product) != nil || product.hasSuffix("*") else {
                return nil
            }
            (edition, kind) = (nil, .subscription)
        }
        let products = sold.compactMap { one in itemCatalogue.product(of: one).map { (one, $0) } }
        return InPlayerItem(
            number: number, kind: kind, title: itemCatalogue.title(of: first), edition: edition,
            products: products.map(\.1),
            fees: products.compactMap { one, product in
                settings.fees.first { $0.matches(product) }.map {
                    InPlayerItem.Fee(number: itemCatalogue.fee(of: one, item: number), product: product, price: $0)
                }
            })
    }

    /// Returns the product for the numbers of an item and a price, or its conventional name if the numbers are
    /// unknown here.
    ///
    /// - Throws: ``Unavailable``.
    func product(item number: Int64, fee: Int64) async throws -> String {
        let itemCatalogue = try itemCatalogue()
        var sold = itemCatalogue.sold(numbered: number)
        if sold.isEmpty, let given = try await accounts.item(numbered: number) { sold = [given] }
        let product = sold.first { itemCatalogue.fee(of: $0, item: number) == fee }.flatMap {
            itemCatalogue.product(of: $0)
        }
        return product ?? "\(number)_\(fee)"
    }
}
