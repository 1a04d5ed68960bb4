public import Gatefold

/// What apps show as the price of products: the stores charge what is set there, whatever is said here.
public struct InPlayerFee: Sendable, Equatable {
    /// For so many of a unit of time.
    public struct Term: Sendable, Equatable {
        /// Such as `month`.
        public var period: String
        public var quantity: Int

        public init(period: String, quantity: Int = 1) {
            self.period = period
            self.quantity = quantity
        }
    }

    /// An amount of money: digits, and perhaps a point and more digits.
    public struct Amount: Sendable, Equatable, CustomStringConvertible {
        public let description: String

        static let zero = Amount(0)

        /// Whole units of the currency, rounded half up: the fields that SDKs read as an `Int` take no fraction.
        var wholeUnits: Int64 {
            let parts = description.split(separator: ".")
            let whole = Int64(parts[0]) ?? 0
            return parts.count > 1 && parts[1] >= "5" ? whole + 1 : whole
        }

        private init(_ whole: Int64) {
            description = String(whole)
        }

        /// Nil for any other text.
        public init?(_ text: String) {
            guard text.wholeMatch(of: /(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,4})?/) != nil else { return nil }
            description = text
        }
    }

    /// A product's name in the stores, or with a `*` at its end the beginning of names.
    public var product: String
    /// In whole units of the currency.
    public var amount: Amount
    /// ISO 4217.
    public var currency: String
    public var text: String
    /// How long a subscription runs; nil for what is bought once.
    public var term: Term?
    /// Free at first.
    public var trial: Term?
    /// Paid once, at the start of a subscription.
    public var setupFee: Amount?

    public init(
        product: String, amount: Amount, currency: String, text: String = "", term: Term? = nil, trial: Term? = nil,
        setupFee: Amount? = nil
    ) {
        self.product = product
        self.amount = amount
        self.currency = currency
        self.text = text
        self.term = term
        self.trial = trial
        self.setupFee = setupFee
    }

    /// As people read it, such as `4.99 EUR`.
    func formatted(_ amount: Amount) -> String { "\(amount) \(currency)" }

    func matches(_ product: String) -> Bool {
        self.product.hasSuffix("*")
            ? product.utf8.starts(with: self.product.utf8.dropLast()) : product == self.product
    }
}

/// The numbers that apps know something for sale by, where the product's name in the stores does not say them.
public struct InPlayerNumber: Sendable, Equatable {
    public enum Thing: Sendable, Hashable {
        case edition(EditionID)
        /// By its name in the stores.
        case product(String)
    }

    public var thing: Thing
    public var item: Int64
    /// Nil for the item's number.
    public var fee: Int64?

    public init(_ thing: Thing, item: Int64, fee: Int64? = nil) {
        self.thing = thing
        self.item = item
        self.fee = fee
    }

    /// The highest there may be: apps read some numbers as 32 bits.
    public static let highest: Int64 = Int64(Int32.max)
}

/// The numbers in a product's name in the stores, `ITEM_FEE`; parts behind them count for nothing (PROTOCOLS 5.2).
struct NumberedProduct: Hashable {
    let item: Int64
    let fee: Int64

    init(item: Int64, fee: Int64) {
        self.item = item
        self.fee = fee
    }

    init?(_ product: String) {
        let parts = product.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count >= 2, let item = Self.number(parts[0]), let fee = Self.number(parts[1]) else { return nil }
        self.init(item: item, fee: fee)
    }

    /// A whole number above zero, as apps write one.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.first != 0x30, let number = Int64(text), number <= InPlayerNumber.highest
        else { return nil }
        return number
    }
}
