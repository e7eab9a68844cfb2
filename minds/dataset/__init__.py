"""Data pipelines: sources of rows, operations on them, iterators. See `Dataset`."""

from ..base.boundary import guard as _guard
from ..base.late import late as _late
from . import audio, config, dataloader, debug, text, transforms, vision
from .audio_sets.speech import (
    CMUArcticDataset,
    GTZANDataset,
    LibriTTSDataset,
    LJSpeechDataset,
    SpeechCommandsDataset,
    TedliumDataset,
    YesNoDataset,
)
from .cache import DatasetCache
from .callbacks import DSCallback
from .datasets import BatchInfo, Dataset
from .datasets import zip_datasets as zip
from .image_sets.arrays import (
    Cifar10Dataset,
    Cifar100Dataset,
    EMnistDataset,
    FakeImageDataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
    QMnistDataset,
    SemeionDataset,
    STL10Dataset,
    SVHNDataset,
)
from .image_sets.detection import CocoDataset, KITTIDataset, ManifestDataset, VOCDataset
from .image_sets.faces import CelebADataset, LFWDataset, WIDERFaceDataset
from .image_sets.folders import (
    Caltech101Dataset,
    Caltech256Dataset,
    Food101Dataset,
    ImageFolderDataset,
    LSUNDataset,
    OmniglotDataset,
    Places365Dataset,
    RenderedSST2Dataset,
    SUN397Dataset,
)
from .image_sets.scenes import (
    CityscapesDataset,
    DIV2KDataset,
    FlickrDataset,
    Flowers102Dataset,
    PhotoTourDataset,
    SBDataset,
    SBUDataset,
)
from .iterators import DictIterator, TupleIterator
from .pipeline import DatasetError
from .profiling import DatasetProfile, StageFigures
from .record_sets.lmdb import LMDBDataset
from .record_sets.made import OBSMindDataset, PaddedDataset, RandomDataset
from .record_sets.mindrecord import MindDataset
from .record_sets.schemas import Schema
from .record_sets.shards import WebDataset
from .record_sets.tables import ArrowDataset
from .record_sets.tfrecord import TFRecordDataset
from .samplers import (
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from .serializing import compare, deserialize, serialize, show
from .shuffles import Shuffle
from .standard import GeneratorDataset, NumpySlicesDataset
from .text_sets.documents import CLUEDataset, IMDBDataset, SQuADDataset
from .text_sets.lines import (
    CoNLL2000Dataset,
    EnWik9Dataset,
    PennTreebankDataset,
    TextFileDataset,
    UDPOSDataset,
    WikiTextDataset,
)
from .text_sets.tables import (
    AGNewsDataset,
    AmazonReviewDataset,
    CSVDataset,
    DBpediaDataset,
    SogouNewsDataset,
    SST2Dataset,
    USPSDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from .text_sets.translations import IWSLT2016Dataset, IWSLT2017Dataset, Multi30kDataset
from .transfer import TransferDataset
from .utils import LineReader

__all__ = [n for n in dir() if not n.startswith("_") and n[0].isupper()]
__all__ += [
    "audio",
    "compare",
    "config",
    "dataloader",
    "debug",
    "deserialize",
    "serialize",
    "show",
    "text",
]
__all__ += ["transforms", "vision", "zip"]
__all__ += ["WaitedDSCallback"]
__getattr__, __dir__ = _late(
    __name__,
    {
        "compat.dataset_kinds": """BatchDataset ConcatDataset FilterDataset MapDataset MappableDataset
            ProjectDataset RepeatDataset ShuffleDataset SkipDataset SourceDataset SyncWaitDataset
            TakeDataset TextBaseDataset VisionBaseDataset ZipDataset""",
        "dataset.transforms.base": "Implementation",
        "train.callback.waiting": "WaitedDSCallback",
    },
)
_guard(__name__)
