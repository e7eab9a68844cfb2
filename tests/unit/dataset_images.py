"""Tiny folders in the layouts of known data sets of images."""

import json
import os

import numpy as np
from dataset_files import R, gray, idx, jpg, mat, raw, text


def images(r, case):
    """Write the folders of images below ``r``; ``case`` takes a class and its arguments."""
    j = lambda *p: os.path.join(r, *p)
    for d in ("mnist", "kmnist", "fmnist"):
        for part, n in (("train", 3), ("t10k", 2)):
            raw(
                j(d, part + "-images-idx3-ubyte"),
                idx(R(n).randint(0, 255, (n, 28, 28)).astype(np.uint8)),
            )
            raw(j(d, part + "-labels-idx1-ubyte"), idx(np.arange(n, dtype=np.uint8) + 4))
    for c, d in (
        ("MnistDataset", "mnist"),
        ("KMnistDataset", "kmnist"),
        ("FashionMnistDataset", "fmnist"),
    ):
        case(c, dataset_dir=j(d))
        case(c, dataset_dir=j(d), usage="test")
    for part in ("train", "test"):
        raw(
            j("emnist", "emnist-letters-%s-images-idx3-ubyte" % part),
            idx(R(1).randint(0, 255, (2, 28, 28)).astype(np.uint8)),
        )
        raw(
            j("emnist", "emnist-letters-%s-labels-idx1-ubyte" % part),
            idx(np.arange(2, dtype=np.uint8) + 4),
        )
    case("EMnistDataset", dataset_dir=j("emnist"), name="letters", usage="train")
    case("EMnistDataset", dataset_dir=j("emnist"), name="letters")
    for part, n in (("qmnist-train", 2), ("qmnist-test", 3), ("xnist", 2)):
        raw(
            j("qmnist", part + "-images-idx3-ubyte"),
            idx(R(n).randint(0, 255, (n, 28, 28)).astype(np.uint8)),
        )
        raw(
            j("qmnist", part + "-labels-idx2-int"),
            idx(np.arange(n * 8).reshape(n, 8).astype(">i4"), 12),
        )
    case("QMnistDataset", dataset_dir=j("qmnist"), usage="train")
    case("QMnistDataset", dataset_dir=j("qmnist"), usage="test", compat=False)
    case("QMnistDataset", dataset_dir=j("qmnist"), usage="nist")
    case("QMnistDataset", dataset_dir=j("qmnist"))
    for i in range(1, 6):
        raw(j("cifar10", "data_batch_%d.bin" % i), bytes([i]) + R(i).bytes(3072))
    raw(j("cifar10", "test_batch.bin"), bytes([9]) + R(9).bytes(3072))
    raw(j("cifar100", "train.bin"), bytes([3, 42]) + R(9).bytes(3072))
    raw(j("cifar100", "test.bin"), bytes([4, 43]) + R(19).bytes(3072))
    for c, d in (("Cifar10Dataset", "cifar10"), ("Cifar100Dataset", "cifar100")):
        case(c, dataset_dir=j(d))
        case(c, dataset_dir=j(d), usage="test")
        case(c, dataset_dir=j(d), usage="train")
    s = ""
    for k in range(2):
        s += (
            " ".join("%.4f" % v for v in R(k).randint(0, 2, 256))
            + " "
            + " ".join("1" if i == k + 3 else "0" for i in range(10))
            + " \n"
        )
    text(j("semeion", "semeion.data"), s)
    case("SemeionDataset", dataset_dir=j("semeion"))
    for p, n in (("train", 2), ("test", 1), ("unlabeled", 1)):
        raw(j("stl", "%s_X.bin" % p), R(n).bytes(n * 27648))
    raw(j("stl", "train_y.bin"), bytes([3, 10]))
    raw(j("stl", "test_y.bin"), bytes([1]))
    for u in (None, "train", "test", "unlabeled", "train+unlabeled", "all"):
        case("STL10Dataset", dataset_dir=j("stl"), usage=u)
    for p, n in (("train", 2), ("test", 3), ("extra", 2)):
        mat(
            j("svhn", p + "_32x32.mat"),
            {
                "X": R(n).randint(0, 255, (32, 32, 3, n)).astype(np.uint8),
                "y": (np.arange(n)[:, None] + 9).astype(np.uint8),
            },
        )
    case("SVHNDataset", dataset_dir=j("svhn"), usage="train")
    case("SVHNDataset", dataset_dir=j("svhn"))
    for c in ("cat", "dog"):
        for i in range(2):
            jpg(j("folder", c, "%d.jpg" % i), i)
    text(j("folder", "cat", "note.txt"), "no image")
    jpg(j("folder", "dog", "z.png"), 3)
    case("ImageFolderDataset", dataset_dir=j("folder"))
    case("ImageFolderDataset", dataset_dir=j("folder"), class_indexing={"dog": 7, "cat": 3})
    case("ImageFolderDataset", dataset_dir=j("folder"), decode=True)
    case("ImageFolderDataset", dataset_dir=j("folder"), extensions=[".png"])
    for c in ("001.ak", "002.flag"):
        for i in range(2):
            jpg(j("cal256", c, "%s_%d.jpg" % (c[:3], i)), i)
    case("Caltech256Dataset", dataset_dir=j("cal256"))
    for c, o in (("Faces", "Faces_2"), ("ant", "ant")):
        jpg(j("cal101", "101_ObjectCategories", c, "image_0001.jpg"), 4)
        mat(
            j("cal101", "Annotations", o, "annotation_0001.mat"),
            {"obj_contour": np.arange(6.0).reshape(2, 3)},
        )
    for t in (None, "annotation", "all"):
        case("Caltech101Dataset", dataset_dir=j("cal101"), target_type=t)
    for p in ("images_background", "images_evaluation"):
        for al in ("Latin", "Greek"):
            for ch in ("c1", "c2"):
                jpg(j("omni", p, al, ch, "01.jpg"), len(al + p))
    case("OmniglotDataset", dataset_dir=j("omni"))
    case("OmniglotDataset", dataset_dir=j("omni"), background=False)
    for d in ("bedroom_train", "bedroom_val", "tower_train", "tower_val", "test"):
        jpg(j("lsun", d, "1_1.jpg"), len(d))
        jpg(j("lsun", d, "1_2.jpg"), len(d) + 1)
    for u in (None, "train", "valid", "test", "all"):
        case("LSUNDataset", dataset_dir=j("lsun"), usage=u)
    case("LSUNDataset", dataset_dir=j("lsun"), usage="train", classes=["tower"])
    for p in ("train", "test", "valid"):
        for c in ("negative", "positive"):
            jpg(j("rsst", p, c, "0001.png"), len(p + c))
    for u in (None, "train", "val", "test"):
        case("RenderedSST2Dataset", dataset_dir=j("rsst"), usage=u)
    text(j("sun", "ClassName.txt"), "/a/abbey\n/b/balcony/exterior\n")
    jpg(j("sun", "a", "abbey", "sun_x.jpg"), 1)
    jpg(j("sun", "b", "balcony", "exterior", "sun_y.jpg"), 2)
    case("SUN397Dataset", dataset_dir=j("sun"))
    for n in ("pie/1", "pie/2", "ribs/3"):
        jpg(j("food", "images", n + ".jpg"), int(n[-1]))
    text(j("food", "meta", "train.txt"), "pie/1\nribs/3\n")
    text(j("food", "meta", "test.txt"), "pie/2\n")
    text(j("food", "meta", "classes.txt"), "pie\nribs\n")
    for u in (None, "train", "test"):
        case("Food101Dataset", dataset_dir=j("food"), usage=u)
    for k in ("a/one.jpg", "b/two.jpg"):
        for s in ("data_256_standard", "data_large_standard", "data_256_challenge"):
            jpg(j("places", s, k), len(s + k))
    jpg(j("places", "val_256", "v1.jpg"), 5)
    text(j("places", "places365_val.txt"), "v1.jpg 3\n")
    text(j("places", "places365_train_standard.txt"), "/a/one.jpg 0\n/b/two.jpg 1\n")
    text(j("places", "places365_train_challenge.txt"), "/a/one.jpg 0\n/b/two.jpg 1\n")
    text(j("places", "categories_places365.txt"), "/a/a 0\n/b/b 1\n")
    case("Places365Dataset", dataset_dir=j("places"), usage="train-standard")
    case("Places365Dataset", dataset_dir=j("places"), usage="train-standard", small=False)
    case("Places365Dataset", dataset_dir=j("places"), usage="val")
    case("Places365Dataset", dataset_dir=j("places"))
    names = ["%06d.jpg" % i for i in (1, 2, 3)] + ["000004.JPEG"]
    for i, n in enumerate(names):
        jpg(j("celeba", n), i, fmt="JPEG")
    text(
        j("celeba", "list_attr_celeba.txt"),
        "4\n"
        + " ".join("a%d" % i for i in range(40))
        + "\n"
        + "".join(
            n + " " + " ".join(" 1" if (i * k) % 3 else "-1" for k in range(40)) + "\n"
            for i, n in enumerate(names)
        ),
    )
    text(
        j("celeba", "list_eval_partition.txt"),
        "000001.jpg 0\n000002.jpg 1\n000003.jpg 2\n000004.JPEG 0\n",
    )
    for u in ("all", "train", "valid", "test"):
        case("CelebADataset", dataset_dir=j("celeba"), usage=u)
    case("CelebADataset", dataset_dir=j("celeba"), extensions=[".JPEG"])
    case("CelebADataset", dataset_dir=j("celeba"), extensions=[".jpg"])
    for f in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
        for n, k in (("Ann_A", 2), ("Bob_B", 1)):
            for i in range(1, k + 1):
                jpg(j("lfwd", f, n, "%s_%04d.jpg" % (n, i)), len(f + n) + i)
    text(j("lfwd", "lfw-names.txt"), "Ann_A\t2\nBob_B\t1\n")
    text(j("lfwd", "peopleDevTrain.txt"), "1\nAnn_A\t2\n")
    text(j("lfwd", "peopleDevTest.txt"), "1\nBob_B\t1\n")
    text(j("lfwd", "people.txt"), "1\n2\nAnn_A\t2\nBob_B\t1\n")
    for n in ("pairsDevTrain", "pairsDevTest"):
        text(j("lfwd", n + ".txt"), "1\nAnn_A\t1\t2\nAnn_A\t1\tBob_B\t1\n")
    text(j("lfwd", "pairs.txt"), "1\t1\nAnn_A\t1\t2\nAnn_A\t1\tBob_B\t1\n")
    for t in (None, "people", "pairs"):
        for u in (None, "10fold", "train", "test"):
            case("LFWDataset", dataset_dir=j("lfwd"), task=t, usage=u)
    case("LFWDataset", dataset_dir=j("lfwd"), image_set="original")
    for p in ("train", "val"):
        jpg(j("wider", "WIDER_%s" % p, "images", "0--P", "a.jpg"), 3)
        jpg(j("wider", "WIDER_%s" % p, "images", "0--P", "b.jpg"), 4)
        text(
            j("wider", "wider_face_split", "wider_face_%s_bbx_gt.txt" % p),
            "0--P/a.jpg\n2\n1 2 3 4 0 1 0 1 2 1 \n5 6 7 8 1 0 1 0 0 0 \n"
            "0--P/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n",
        )
    jpg(j("wider", "WIDER_test", "images", "0--P", "c.jpg"), 5)
    text(j("wider", "wider_face_split", "wider_face_test_filelist.txt"), "0--P/c.jpg\n")
    for u in (None, "train", "valid", "test", "all"):
        case("WIDERFaceDataset", dataset_dir=j("wider"), usage=u)
    for part in ("train", "val", "test"):
        for city in ("bonn", "aachen"):
            b = "%s_000000_000019" % city
            jpg(j("city", "leftImg8bit", part, city, b + "_leftImg8bit.png"), len(part))
            for e in ("color", "instanceIds", "labelIds"):
                jpg(j("city", "gtFine", part, city, b + "_gtFine_%s.png" % e), len(e))
            text(j("city", "gtFine", part, city, b + "_gtFine_polygons.json"), '{"x": 1}')
    for t in ("instance", "semantic", "polygon", "color"):
        case("CityscapesDataset", dataset_dir=j("city"), task=t)
    case("CityscapesDataset", dataset_dir=j("city"), usage="all")
    case("CityscapesDataset", dataset_dir=j("city"), usage="val", decode=True)
    for part in ("train", "valid"):
        for n in ("0001", "0002"):
            jpg(j("div", "DIV2K_%s_HR" % part, n + ".png"), int(n))
            for s in (2, 3, 4):
                for k in ("bicubic", "unknown"):
                    jpg(
                        j("div", "DIV2K_%s_LR_%s" % (part, k), "X%d" % s, "%sx%d.png" % (n, s)),
                        int(n) + s,
                    )
            jpg(j("div", "DIV2K_%s_LR_x8" % part, n + "x8.png"), 8)
            jpg(j("div", "DIV2K_%s_LR_mild" % part, n + "x4m.png"), 9)
            jpg(j("div", "DIV2K_%s_LR_difficult" % part, n + "x4d.png"), 10)
            jpg(j("div", "DIV2K_%s_LR_wild" % part, n + "x4w.png"), 11)
    for k in (
        dict(),
        dict(scale=3, downgrade="unknown"),
        dict(scale=8),
        dict(downgrade="mild", scale=4),
        dict(downgrade="difficult", scale=4),
        dict(downgrade="wild", scale=4),
        dict(usage="all"),
    ):
        case("DIV2KDataset", dataset_dir=j("div"), **k)
    for i in (1, 2):
        jpg(j("flickr", "im", "%d_x.jpg" % i), i)
    text(
        j("flickr", "tok.txt"),
        "".join(
            "%d_x.jpg#%d\tcaption %d of %d .\n" % (i, k, k, i) for i in (2, 1) for k in range(5)
        ),
    )
    case("FlickrDataset", dataset_dir=j("flickr", "im"), annotation_file=j("flickr", "tok.txt"))
    text(
        j("sbu", "SBU_captioned_photo_dataset_urls.txt"),
        "http://static.flickr.com/3326/11_a.jpg\nhttp://static.flickr.com/25/22_b.jpg\nhttp://static.flickr.com/9/nothere.jpg\n",
    )
    text(j("sbu", "SBU_captioned_photo_dataset_captions.txt"), "one cap\ntwo cap\nthree\n")
    jpg(j("sbu", "sbu_images", "m_3326_11_a.jpg"), 1)
    jpg(j("sbu", "sbu_images", "m_25_22_b.jpg"), 2)
    case("SBUDataset", dataset_dir=j("sbu"))
    from scipy.sparse import csc_matrix

    for n in ("x1", "x2"):
        jpg(j("sbd", "img", n + ".jpg"), len(n))
        b = np.empty((20, 1), object)
        for i in range(20):
            b[i, 0] = csc_matrix((np.arange(30).reshape(5, 6) == i).astype(float))
        g = np.zeros(
            (1,),
            dtype=[("Boundaries", object), ("Segmentation", object), ("CategoriesPresent", object)],
        )
        g[0] = (b, np.arange(30).reshape(5, 6).astype(np.uint8), np.array([1]))
        mat(j("sbd", "cls", n + ".mat"), {"GTcls": g})
        mat(j("sbd", "inst", n + ".mat"), {"GTinst": g})
    for p in ("train", "train_noval"):
        text(j("sbd", p + ".txt"), "x1\n")
    text(j("sbd", "val.txt"), "x2\n")
    case("SBDataset", dataset_dir=j("sbd"))
    case("SBDataset", dataset_dir=j("sbd"), task="Segmentation", usage="val")
    for i in (1, 2, 3):
        jpg(j("flow", "jpg", "image_%05d.jpg" % i), i)
        jpg(j("flow", "segmim", "segmim_%05d.jpg" % i), i + 3)
    mat(j("flow", "imagelabels.mat"), {"labels": np.array([[5, 6, 7]])})
    mat(
        j("flow", "setid.mat"),
        {"trnid": np.array([[2]]), "valid": np.array([[3]]), "tstid": np.array([[1]])},
    )
    case("Flowers102Dataset", dataset_dir=j("flow"))
    case("Flowers102Dataset", dataset_dir=j("flow"), task="Segmentation", usage="train")
    gray(
        j("tour", "liberty", "patches0000.bmp"), R(1).randint(0, 255, (1024, 1024)).astype(np.uint8)
    )
    text(j("tour", "liberty", "info.txt"), "0 0\n0 0\n1 0\n")
    text(j("tour", "liberty", "m50_100000_100000_0.txt"), "0 0 0 1 0 0 0\n0 0 0 2 1 0 0\n")
    case("PhotoTourDataset", dataset_dir=j("tour"), name="liberty", usage="train")
    case("PhotoTourDataset", dataset_dir=j("tour"), name="liberty", usage="test")
    case("PhotoTourDataset", dataset_dir=j("tour"), name="liberty")
    for p in ("training", "testing"):
        for n in ("000000", "000001"):
            jpg(j("kitti", "data_object_image_2", p, "image_2", n + ".png"), int(n) + 1)
            if p == "training":
                text(
                    j("kitti", "data_object_label_2", p, "label_2", n + ".txt"),
                    "Car 0.5 1 -1.5 10.25 20 30 40.5 1 2 3 4 5 6 7.5\n"
                    + (
                        "Pedestrian 0 0 -0.2 1 2 3 4 1 2 3 4 5 6 0.25\n"
                        "DontCare -1 -1 -10 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10\n"
                        if n[-1] == "1"
                        else ""
                    ),
                )
    for u in (None, "train", "test"):
        case("KITTIDataset", dataset_dir=j("kitti"), usage=u)
    box = lambda n, b, d, t: (
        "<object><name>%s</name><truncated>%d</truncated><difficult>%d</difficult><bndbox><xmin>%d</xmin><ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox></object>"
        % (n, t, d, *b)
    )
    for n in ("v1", "v2"):
        jpg(j("voc", "JPEGImages", n + ".jpg"), len(n))
        jpg(j("voc", "SegmentationClass", n + ".png"), 7)
    text(
        j("voc", "Annotations", "v1.xml"),
        "<annotation><filename>v1.jpg</filename><size/>"
        + box("dog", (1, 2, 5, 7), 0, 1)
        + box("ant", (1, 1, 3, 3), 1, 0)
        + "</annotation>",
    )
    text(
        j("voc", "Annotations", "v2.xml"),
        "<annotation>" + box("cat", (1, 1, 2, 2), 0, 0) + "</annotation>",
    )
    for f in ("Main", "Segmentation"):
        text(j("voc", "ImageSets", f, "train.txt"), "v1\nv2\n")
    case("VOCDataset", dataset_dir=j("voc"))
    case("VOCDataset", dataset_dir=j("voc"), task="Detection")
    case(
        "VOCDataset",
        dataset_dir=j("voc"),
        task="Detection",
        class_indexing={"dog": 9, "cat": 1},
        extra_metadata=True,
        decode=True,
    )
    for i in (1, 2):
        jpg(j("coco", "im", "%d.jpg" % i), i)
    imgs = [{"id": i, "file_name": "%d.jpg" % i} for i in (2, 1)]
    ann = [
        {
            "id": 1,
            "image_id": 1,
            "bbox": [1, 2, 3, 4.5],
            "category_id": 7,
            "iscrowd": 0,
            "segmentation": [[1, 2, 3.5], [4, 5]],
            "keypoints": [1, 2, 3] * 17,
            "num_keypoints": 3,
            "caption": "a b",
        },
        {
            "id": 2,
            "image_id": 2,
            "bbox": [0, 0, 1, 1],
            "category_id": 8,
            "iscrowd": 1,
            "segmentation": {"counts": [3, 4, 5, 6], "size": [2, 2]},
            "keypoints": [0] * 51,
            "num_keypoints": 0,
            "caption": "c",
        },
        {
            "id": 3,
            "image_id": 1,
            "bbox": [9, 9, 9, 9],
            "category_id": 8,
            "iscrowd": 0,
            "segmentation": [[7]],
            "keypoints": [2] * 51,
            "num_keypoints": 2,
            "caption": "dd e",
        },
    ]
    text(
        j("coco", "a.json"),
        json.dumps(
            {
                "images": imgs,
                "annotations": ann,
                "categories": [{"id": 7, "name": "dog"}, {"id": 8, "name": "cat"}],
            }
        ),
    )
    text(
        j("coco", "c.json"),
        json.dumps(
            {
                "images": imgs,
                "annotations": [
                    {"image_id": a["image_id"], "caption": a["caption"], "id": k}
                    for k, a in enumerate(ann)
                ],
            }
        ),
    )
    text(
        j("coco", "p.json"),
        json.dumps(
            {
                "images": imgs,
                "annotations": [
                    {
                        "id": 5,
                        "image_id": 1,
                        "file_name": "1.png",
                        "segments_info": [
                            {
                                "id": 1,
                                "category_id": 7,
                                "iscrowd": 0,
                                "bbox": [1, 2, 3, 4],
                                "area": 12,
                            }
                        ],
                    }
                ],
                "categories": [{"id": 7, "name": "dog", "isthing": 1, "supercategory": "x"}],
            }
        ),
    )
    for t in ("Detection", "Stuff", "Keypoint"):
        case(
            "CocoDataset", dataset_dir=j("coco", "im"), annotation_file=j("coco", "a.json"), task=t
        )
    case(
        "CocoDataset",
        dataset_dir=j("coco", "im"),
        annotation_file=j("coco", "c.json"),
        task="Captioning",
    )
    case(
        "CocoDataset",
        dataset_dir=j("coco", "im"),
        annotation_file=j("coco", "p.json"),
        task="Panoptic",
    )
    case(
        "CocoDataset",
        dataset_dir=j("coco", "im"),
        annotation_file=j("coco", "a.json"),
        decode=True,
        extra_metadata=True,
    )
    text(
        j("man.manifest"),
        "".join(
            json.dumps(
                {
                    "source": j("folder", c, "0.jpg"),
                    "usage": u,
                    "annotation": [{"name": n} for n in a],
                }
            )
            + "\n"
            for c, u, a in (
                ("cat", "train", ["cat"]),
                ("dog", "train", ["dog", "big"]),
                ("dog", "eval", ["dog"]),
            )
        ),
    )
    case("ManifestDataset", dataset_file=j("man.manifest"))
    case("ManifestDataset", dataset_file=j("man.manifest"), usage="eval")
    case("ManifestDataset", dataset_file=j("man.manifest"), class_indexing={"cat": 3})
