package import Commerce
import Foundation

/// A receipt in the iOS 6 format. Its signature is invalid, because only Apple can verify it.
package struct TestTransactionReceipt: Sendable {
    package var bundle = "com.example.daily"
    package var product = "com.example.daily.issue1"
    package var transaction = "1000000012345678"
    package var environment: String?

    package init(
        bundle: String = "com.example.daily", product: String = "com.example.daily.issue1",
        transaction: String = "1000000012345678", environment: String? = nil
    ) {
        self.bundle = bundle
        self.product = product
        self.transaction = transaction
        self.environment = environment
    }

    package var bytes: [UInt8] {
        let purchase = """
            {
            \t"original-transaction-id" = "\(transaction)";
            \t"transaction-id" = "\(transaction)";
            \t"product-id" = "\(product)";
            \t"bid" = "\(bundle)";
            \t"quantity" = "1";
            \t"purchase-date-ms" = "1335798355868";
            }
            """
        let place = environment.map { "\t\"environment\" = \"\($0)\";\n" } ?? ""
        return Array(
            """
            {
            \t"signature" = "Av8=";
            \t"purchase-info" = "\(Data(purchase.utf8).base64EncodedString())";
            \(place)\t"pod" = "100";
            \t"signing-status" = "0";
            }
            """.utf8)
    }

    package var receipt: StoreReceipt { .of(bytes) }
}
