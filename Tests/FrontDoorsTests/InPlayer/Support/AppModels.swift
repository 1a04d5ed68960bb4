import Foundation
import Testing

/// The account as the strictest SDK decodes it (InPlayer protocol, “Response documents”).
struct AppAccount: Decodable, Equatable {
    let id: Int
    let email: String
    let username: String
    let fullName: String
    let uuid: String
    let referrer: String
    let roles: [String]
    let completed: Bool
    let createdAt: Int
    let updatedAt: Int
    let merchantId: Int
    let merchantUuid: String
    let metadata: [String: String]
    let dateOfBirth: String?

    enum CodingKeys: String, CodingKey {
        case id, email, username, uuid, referrer, roles, completed, metadata
        case fullName = "full_name"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case merchantId = "merchant_id"
        case merchantUuid = "merchant_uuid"
        case dateOfBirth = "date_of_birth"
    }
}

struct AppSession: Decodable {
    let access: String
    let refresh: String
    let expires: Int
    let account: AppAccount

    enum CodingKeys: String, CodingKey {
        case access = "access_token"
        case refresh = "refresh_token"
        case expires, account
    }
}

struct AppItem: Decodable {
    struct Fact: Decodable {
        let id: Int
        let name: String
        let value: String
    }

    struct AccessControl: Decodable {
        let id: Int
        let name: String
        let auth: Bool
    }

    struct Kind: Decodable {
        let id: Int
        let name: String
        let content_type: String
        let host: String
        let description: String
    }

    let id: Int
    let merchant_id: Int
    let merchant_uuid: String
    let is_active: Bool
    let active: Bool
    let title: String
    let access_control_type: AccessControl
    let item_type: Kind
    let metadata: [Fact]
    let metahash: [String: String]
    let content: String
    let access_fees: [AppFee]?
    let created_at: Int
    let updated_at: Int
}

struct AppAccess: Decodable {
    let id: Int32
    let account_id: Int
    let customer_id: Int
    let customer_uuid: String
    let ip_address: String
    let country_code: String
    let created_at: Int
    let expires_at: Int
    let starts_at: Int
    let item: AppItem
}

struct AppFee: Decodable {
    struct Kind: Decodable {
        let id: Int
        let account_id: Int
        let name: String
        let period: String
        let quantity: Int
    }

    struct Reference: Decodable {
        let id: Int
        let title: String
    }

    struct Trial: Decodable {
        let quantity: Int
        let period: String
    }

    struct SetupFee: Decodable { let fee_amount: Double }

    struct External: Decodable {
        let id: Int
        let external_id: String
    }

    let id: Int
    let merchant_id: Int
    let amount: Double
    let currency: String
    let description: String
    let access_type: Kind
    let item: Reference?
    let trial_period: Trial?
    let setup_fee: SetupFee?
    let external_fees: [External]
    let starts_at: Int
    let expires_at: Int
}

struct AppHistory: Decodable {
    struct Entry: Decodable, Equatable {
        let type: String
        let consumer_email: String
        let merchant_id: Int
        let item_access_id: Int
        let parent_resource_id: String
        let item_id: Int
        let item_title: String
        let purchased_access_fee_id: Int
        let purchased_access_fee_type: String
        let purchased_access_fee_description: String
        let purchased_amount: Double
        let purchased_currency: String
        let payment_method: String
        let payment_tool: String
        let created_at: Int
        let starts_at: Int
        let expires_at: Int
        let revoked: Int
        let is_trial: Bool
    }

    let collection: [Entry]
    let total: Int
}

struct AppSubscriptions: Decodable {
    struct Entry: Decodable {
        let item_id: Int
        let item_title: String
        let status: String
        let amount: Double
        let formatted_amount: String
        let currency: String
        let next_billing_date: Int
        let unsubscribe_url: String?
    }

    let collection: [Entry]
    let total: Int
}

/// An envelope (InPlayer notifications protocol, “Notification envelope”), with the resource that its type requires.
struct AppNotification: Decodable {
    struct Revoked: Decodable { let item_id: Int }

    struct Payment: Decodable {
        let item_id: Int?
        let access_fee_id: Int?
        let transaction: String?
        let amount: Double?
        let message: String?
        let explain: String?
    }

    let type: String
    let timestamp: Double
    var access: AppAccess?
    var revoked: Revoked?
    var payment: Payment?

    enum CodingKeys: CodingKey {
        case type, timestamp, resource
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = try values.decode(String.self, forKey: .type)
        timestamp = try values.decode(Double.self, forKey: .timestamp)
        switch type {
        case "access.granted": access = try values.decode(AppAccess.self, forKey: .resource)
        case "access.revoked": revoked = try values.decode(Revoked.self, forKey: .resource)
        case "external.payment.success", "external.payment.failed":
            payment = try values.decode(Payment.self, forKey: .resource)
        default: break
        }
    }
}

/// An error as iOS and Android read it: an object with a number, a text and a flat map that is not empty.
struct AppFault: Decodable, Equatable {
    let code: Int
    let message: String
    let errors: [String: String]
    let explain: String?

    init(_ response: InPlayerTestResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        self = try response.decoded()
        #expect(code == response.status, sourceLocation: sourceLocation)
        #expect(!message.isEmpty && !errors.isEmpty, sourceLocation: sourceLocation)
        #expect(errors.values.allSatisfy { !$0.isEmpty }, sourceLocation: sourceLocation)
    }
}

extension InPlayerTestResponse {
    /// Checks that the error names exactly these fields.
    func expectFault(_ status: Int, in fields: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let fault = try AppFault(self, sourceLocation: sourceLocation)
        #expect(self.status == status && Set(fault.errors.keys) == fields, "\(text)", sourceLocation: sourceLocation)
    }
}
