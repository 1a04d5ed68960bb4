/// The members that jwplayer/ott-web-app reads of its InPlayer account, through inplayer.js.
enum WebModels {
    /// Source: `JWPSubscriptionService.ts`, `SubscriptionDetails`.
    struct Subscriptions: Decodable {
        struct Subscription: Decodable {
            /// Any other value is shown as terminated.
            enum ActionType: String, Decodable {
                case recurrent, canceled, ended
                case freeTrial = "free-trial"
            }

            struct AccessType: Decodable { let period: String }

            let item_id: Int
            let item_title: String
            let subscription_id: String
            let subscription_price: Double
            let action_type: ActionType
            let next_rebill_date: Int
            let charged_amount: Double
            let payment_method_name: String
            let access_type: AccessType
            let access_fee_id: Int
            let currency: String
        }

        let collection: [Subscription]
    }

    /// Source: `JWPCheckoutService.ts`, `formatOffer`: it reads members of `item`, and fails without it.
    struct Offer: Decodable {
        struct AccessType: Decodable {
            let name: String
            let period: String
            let quantity: Int
        }

        struct Item: Decodable { let plan_switch_enabled: Bool? }

        let id: Int
        let currency: String
        let amount: Double
        let description: String
        let access_type: AccessType
        let item: Item
    }

    /// Favourites and watch history.
    struct Media: Decodable {
        struct Entry: Decodable { let media_id: String }

        let collection: [Entry]
    }
}
