import Gatefold

/// What a publication sells, by the numbers that its settings and its products' names say; the rest has numbers from the
/// account book.
struct ItemShelf: Sendable {
    let catalogue: Catalogue
    private let rules: ProductRules
    private let explicit: [SoldItem: InPlayerNumber]
    /// Several of one number are prices of one item.
    private let byNumber: [Int64: [SoldItem]]
    /// Subscription products whose names are known as a whole, in the order of the settings.
    let subscriptions: [SoldItem]

    init(_ settings: InPlayerSettings, catalogue: Catalogue, rules: ProductRules) {
        self.catalogue = catalogue
        self.rules = rules
        var explicit: [SoldItem: InPlayerNumber] = [:]
        for number in settings.numbers {
            switch number.thing {
            case .edition(let edition): explicit[.edition(edition)] = number
            case .product(let product):
                if let sold = Self.sold(product, catalogue, rules) { explicit[sold] = number }
            }
        }
        self.explicit = explicit
        var names = rules.subscriptions.map(\.pattern) + settings.fees.map(\.product)
        names += settings.numbers.compactMap { if case .product(let product) = $0.thing { product } else { nil } }
        var seen: Set<String> = []
        let subscriptions = names.filter {
            !$0.hasSuffix("*") && rules.subscription($0) != nil && seen.insert($0).inserted
        }.map { SoldItem.subscription($0) }
        self.subscriptions = subscriptions
        var byNumber: [Int64: [SoldItem]] = [:]
        let editions = catalogue.editions.map { SoldItem.edition($0.id) }
        let written = explicit.keys.sorted { $0.name < $1.name }
        for sold in written + editions + subscriptions {
            guard let item = explicit[sold]?.item ?? Self.convention(sold, catalogue)?.item,
                byNumber[item]?.contains(sold) != true
            else { continue }
            byNumber[item, default: []].append(sold)
        }
        self.byNumber = byNumber
    }

    /// What a product of the stores is; nil where it opens nothing.
    func sold(as product: String) -> SoldItem? { Self.sold(product, catalogue, rules) }

    /// The item's number, where settings or the product's name say it.
    func number(of sold: SoldItem) -> Int64? {
        explicit[sold]?.item ?? Self.convention(sold, catalogue)?.item
    }

    /// The price's number; that of the item where nothing says another.
    func fee(of sold: SoldItem, item: Int64) -> Int64 {
        if let number = explicit[sold] { return number.fee ?? item }
        return Self.convention(sold, catalogue)?.fee ?? item
    }

    /// What a number stands for; none where settings and names do not say it.
    func sold(numbered number: Int64) -> [SoldItem] {
        if let all = byNumber[number] {
            // An edition is what it is: a subscription that shares its number by mistake opens nothing more.
            return all.first.map { first in all.filter { $0 == first || !first.isEdition && !$0.isEdition } } ?? []
        }
        // A subscription of which only the beginning of its names is known.
        let pattern = rules.subscriptions.first { $0.pattern.hasPrefix("\(number)_") && $0.pattern.hasSuffix("*") }
        return pattern.map { [.subscription($0.pattern)] } ?? []
    }

    /// The name that stores sell it under.
    func product(of sold: SoldItem) -> String? {
        switch sold {
        case .edition(let edition): catalogue[edition].map(\.soldAs) ?? edition.rawValue
        case .subscription(let product): product
        }
    }

    func title(of sold: SoldItem) -> String {
        switch sold {
        case .edition(let edition): catalogue[edition]?.title ?? edition.rawValue
        case .subscription(let product): rules.subscription(product)?.title ?? product
        }
    }

    private static func sold(_ product: String, _ catalogue: Catalogue, _ rules: ProductRules) -> SoldItem? {
        if rules.subscription(product) != nil { return .subscription(product) }
        return catalogue.edition(soldAs: product).map { .edition($0) }
    }

    private static func convention(_ sold: SoldItem, _ catalogue: Catalogue) -> NumberedProduct? {
        switch sold {
        case .edition(let edition): (catalogue[edition]?.soldAs).flatMap { NumberedProduct($0) }
        case .subscription(let product): NumberedProduct(product)
        }
    }
}

extension SoldItem {
    var isEdition: Bool {
        if case .edition = self { true } else { false }
    }
}
