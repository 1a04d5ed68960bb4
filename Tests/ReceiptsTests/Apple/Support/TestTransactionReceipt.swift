import Foundation
import Gatefold

/// A receipt of iOS 6 as a test wants it; its signature is rubbish, because only Apple knows what it would have to be.
struct TestTransactionReceipt {
    var bundle = "com.example.daily"
    var product = "com.example.daily.issue1"
    var transaction = "1000000012345678"
    var environment: String?

    var bytes: [UInt8] {
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

    var receipt: StoreReceipt { .of(bytes) }
}
