import Gatefold

extension InPlayerPublication {
    /// - Throws: ``Unavailable`` while the catalogue is awaited.
    func shelf() throws(Unavailable) -> ItemShelf {
        let version = proxy.publication.rule.currentCatalogue.version
        if version.catalogue.isAwaited { throw .awaitingCatalogue }
        return shelves.shelf(of: version) {
            ItemShelf(settings, catalogue: $0, rules: proxy.purchases?.products ?? ProductRules())
        }
    }

    /// What a number stands for; nil where it stands for nothing, or for an edition that is not out.
    ///
    /// - Throws: ``Unavailable``.
    func item(numbered number: Int64) async throws -> InPlayerItem? {
        let shelf = try shelf()
        var sold = shelf.sold(numbered: number)
        if sold.isEmpty, let given = try await accounts.item(numbered: number) { sold = [given] }
        return item(sold, numbered: number, on: shelf)
    }

    /// What stores sell as this, or the edition of this name.
    ///
    /// - Throws: ``Unavailable``.
    func item(named name: String) async throws -> InPlayerItem? {
        let shelf = try shelf()
        let edition = EditionID(name).flatMap { shelf.catalogue[$0] }.map { SoldItem.edition($0.id) }
        guard let sold = edition ?? shelf.sold(as: name), isListed(sold, on: shelf),
            let number = try await numbers(of: [sold])[sold]
        else { return nil }
        return try await item(numbered: number)
    }

    /// Whether it may be given a number of its own: nobody must be able to have any number of names written down.
    private func isListed(_ sold: SoldItem, on shelf: ItemShelf) -> Bool {
        switch sold {
        case .edition(let edition):
            shelf.number(of: sold) != nil
                || shelf.catalogue[edition] != nil && shelf.catalogue.isOut(edition, at: proxy.now)
        case .subscription: shelf.number(of: sold) != nil || shelf.subscriptions.contains(sold)
        }
    }

    /// The numbers of what the reader has, given out where there are none yet.
    ///
    /// - Throws: ``Unavailable``.
    func numbers(of all: [SoldItem]) async throws -> [SoldItem: Int64] {
        let shelf = try shelf()
        var numbers: [SoldItem: Int64] = [:]
        var without: [SoldItem] = []
        for sold in all {
            if let number = shelf.number(of: sold) { numbers[sold] = number } else { without.append(sold) }
        }
        return numbers.merging(try await accounts.numbers(of: without)) { first, _ in first }
    }

    func item(_ sold: [SoldItem], numbered number: Int64, on shelf: ItemShelf) -> InPlayerItem? {
        guard let first = sold.first else { return nil }
        let edition: Edition?
        let kind: InPlayerItem.Kind
        switch first {
        case .edition(let id):
            guard shelf.catalogue.mayHave(id), shelf.catalogue.isOut(id, at: proxy.now) else { return nil }
            (edition, kind) = (shelf.catalogue[id], .edition(id))
        case .subscription(let product):
            guard proxy.purchases?.products.subscription(product) != nil || product.hasSuffix("*") else { return nil }
            (edition, kind) = (nil, .subscription)
        }
        let products = sold.compactMap { one in shelf.product(of: one).map { (one, $0) } }
        return InPlayerItem(
            number: number, kind: kind, title: shelf.title(of: first), edition: edition, products: products.map(\.1),
            fees: products.compactMap { one, product in
                settings.fees.first { $0.matches(product) }.map {
                    InPlayerItem.Fee(number: shelf.fee(of: one, item: number), product: product, price: $0)
                }
            })
    }

    /// The product that an app means by an item's and a price's numbers; what it is called by convention where neither is
    /// known here.
    ///
    /// - Throws: ``Unavailable``.
    func product(item number: Int64, fee: Int64) async throws -> String {
        let shelf = try shelf()
        var sold = shelf.sold(numbered: number)
        if sold.isEmpty, let given = try await accounts.item(numbered: number) { sold = [given] }
        let product = sold.first { shelf.fee(of: $0, item: number) == fee }.flatMap { shelf.product(of: $0) }
        return product ?? "\(number)_\(fee)"
    }
}
